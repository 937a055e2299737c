// Conversions between the fields of an event and those of a connected calendar, for all calendars.
import { addDays, dayOf, fromWallClock, startOfDay } from '@tandem/time-zones';
import { CallError } from './connector.ts';
import type { CalendarFields, ExternalRecord } from './sync.ts';
import { listOf, objectOf, plainOf, type Values } from './values.ts';

export type CalendarRecord = Extract<ExternalRecord, { kind: 'calendar_event' }>;
export type Occurrence = NonNullable<CalendarRecord['occurrence']>;

// The limits of the fields of an event.
const titleMax = 200;
const descriptionMax = 5_000;
const locationMax = 500;
const urlMax = 2_000;
const attendeesMax = 100;
const emailMax = 254;
const idMax = 255;
/** The characters of a text of a calendar that are read, of which markup is removed. */
const readMax = 50_000;
const hourMs = 3_600_000;

/** The objects of a list of a response, at most `max`; none if it is something else. */
export function objectsIn(value: unknown, max: number): Values[] {
  return listOf(value, max).map(objectOf);
}

/** A text of at most `max` characters that PostgreSQL can store; an empty one if the value is something else. */
export function storable(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  return value.slice(0, max).replaceAll('\0', '').toWellFormed();
}

/** The title of an event, which a calendar does not require. */
export function titleOf(value: unknown): string {
  const line = storable(value, readMax).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.trim().slice(0, titleMax).toWellFormed().trim() || '(No title)';
}

export function locationOf(value: unknown): string | null {
  return storable(value, locationMax).trim() || null;
}

/** An address that a video call can have; null if it is not one. */
export function joinUrlOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > urlMax || /[\s\0]/.test(value)) return null;
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? value : null;
}

/** The addresses of attendees. */
export function addressesOf(values: readonly unknown[]): string[] {
  const addresses = values.filter(
    (value): value is string =>
      typeof value === 'string' && value.length <= emailMax && /^[^\s\0@]+@[^\s\0@]+$/.test(value),
  );
  return [...new Set(addresses)].slice(0, attendeesMax);
}

// Calendars have no writable field for the address of a video call, so it is the last line of the description.
const joinLine = /(?:^|\n\n)Join: (https:\/\/\S{1,2000})$/;

/** The text of a calendar for a description and the address of a video call. */
export function describe({ description, joinUrl }: Pick<CalendarFields, 'description' | 'joinUrl'>): string {
  return [description, joinUrl && `Join: ${joinUrl}`].filter(Boolean).join('\n\n');
}

/** The description and the address of a video call that a text of a calendar has. */
export function described(text: unknown): Pick<CalendarFields, 'description' | 'joinUrl'> {
  const read = storable(text, readMax).replaceAll('\r\n', '\n').trimEnd();
  const joinUrl = joinUrlOf(joinLine.exec(read)?.[1]);
  const description = (joinUrl ? read.replace(joinLine, '') : read).slice(0, descriptionMax).toWellFormed().trimEnd();
  return { description: description || null, joinUrl };
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const tag = /<\/?[A-Za-z][^<>]{0,2000}>/g;
const entity = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi;

/** The text of a description that may have markup. */
export function withoutMarkup(text: unknown): string {
  return storable(text, readMax)
    .replace(/<br\s{0,9}\/?>|<\/(?:p|div|li|ul|ol|h[1-6]|tr)>/gi, '\n')
    .replace(tag, '')
    .replace(entity, (found, decimal?: string, hex?: string, named?: string) => {
      if (named !== undefined) return entities[named.toLowerCase()] ?? found;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).toWellFormed() : '';
    });
}

/** A text for a field that may have markup. `withoutMarkup` returns the same text. */
export function withMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

// Intl also accepts offsets such as +01:00, which have no daylight saving time.
const zoneName = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** Whether a value is the name of a time zone (IANA). */
export function isZone(value: unknown): value is string {
  try {
    return (
      typeof value === 'string' &&
      zoneName.test(value) &&
      new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== ''
    );
  } catch {
    return false;
  }
}

const dayForm = /^\d{4}-\d\d-\d\d$/;
const timeForm = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i;

/** A day of a response as YYYY-MM-DD; null if it does not exist. */
export function dayIn(value: unknown): string | null {
  if (typeof value !== 'string' || !dayForm.test(value)) return null;
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : null;
}

/** A time of a response; null if it is not one. Without an offset it is a clock time of the zone. */
export function timeIn(value: unknown, timezone: string): Date | null {
  const [, day, minutes, seconds = '00', offset] = (typeof value === 'string' && timeForm.exec(value)) || [];
  if (dayIn(day) === null) return null;
  const at = new Date(`${day}T${minutes}:${seconds}${offset ?? 'Z'}`);
  if (Number.isNaN(at.getTime())) return null;
  return offset === undefined ? fromWallClock(at, timezone) : at;
}

/** The times of an event for whole days; `end` is the day after the last one. */
export function wholeDays(start: string, end: string, timezone: string): Pick<CalendarFields, 'startAt' | 'endAt'> {
  const last = end > start ? end : addDays(start, 1);
  return { startAt: startOfDay(start, timezone).toISOString(), endAt: startOfDay(last, timezone).toISOString() };
}

/** The first day of an event for whole days, and the day after its last one. */
export function daysOf({ startAt, endAt, timezone }: CalendarFields): { start: string; end: string } {
  const start = dayOf(new Date(startAt), timezone);
  // An event that ends at midnight does not last into that day.
  const end = addDays(dayOf(new Date(Date.parse(endAt) - 1), timezone), 1);
  return { start, end: end > start ? end : addDays(start, 1) };
}

/** A time as 20260310T090000Z, which names an occurrence of a series. */
export function stampOf(at: string | Date): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

/** A record of an event that does not exist any more, of which calendars tell the id only. */
export function deletedRecord(id: string, occurrence?: Occurrence, source: Values = {}): CalendarRecord {
  const startAt = occurrence?.originalStartAt ?? new Date(0).toISOString();
  return {
    kind: 'calendar_event',
    id,
    version: '',
    isDeleted: true,
    source: plainOf(source),
    attendees: [],
    copyOf: null,
    fields: {
      title: titleOf(undefined),
      description: null,
      startAt,
      endAt: new Date(Date.parse(startAt) + hourMs).toISOString(),
      timezone: 'UTC',
      allDay: false,
      location: null,
      joinUrl: null,
      visibility: 'default',
      recurrence: null,
    },
    ...(occurrence && { occurrence }),
  };
}

/** An id of a response; null if there is none that the path of a call can have. */
export function idIn(body: unknown, field = 'id'): string | null {
  const id = objectOf(body)[field];
  return typeof id === 'string' && id.length <= idMax && isPathPart(id) ? id : null;
}

function isPathPart(id: string): boolean {
  return id !== '' && !/^\.{1,2}$|\0/.test(id) && id.isWellFormed();
}

/**
 * An id as a part of a path.
 * @throws CallError for one that would name another path
 */
export function pathPart(id: string): string {
  if (!isPathPart(id)) throw new CallError('request_rejected');
  return encodeURIComponent(id);
}

/** The result of a call about one event; null if the event does not exist. */
export async function orMissing<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof CallError && ['status_404', 'status_410'].includes(error.failure)) return null;
    throw error;
  }
}
