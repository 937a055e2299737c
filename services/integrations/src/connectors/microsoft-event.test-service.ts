// Events of the local Microsoft Graph: how it expands, returns and refuses them.
import { addDays, dayOf, fromWallClock, wallClock } from '@tandem/time-zones';
import { findIana } from 'windows-iana';

export type Json = Record<string, unknown>;
export type Time = { dateTime: string; timeZone: string };
/** An event, or a series with the occurrences that differ from it, by their day. */
export interface Stored {
  id: string;
  change: number;
  fields: Json;
  changed: Map<string, Json>;
  cancelled: Set<string>;
}

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const midnight = /T00:00:00(\.0+)?$/;
const required: Record<string, string[]> = {
  daily: [],
  weekly: ['daysOfWeek', 'firstDayOfWeek'],
  absoluteMonthly: ['dayOfMonth'],
  relativeMonthly: ['daysOfWeek'],
  absoluteYearly: ['dayOfMonth', 'month'],
  relativeYearly: ['daysOfWeek', 'month'],
};
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** The occurrences that are expanded of a series, which is daily or weekly. */
const occurrencesMax = 200;

/** The response to a request that fails. */
export class Refused extends Error {
  readonly answer: Answer;
  constructor(status: number, code: string, headers: Record<string, string> = {}) {
    super(code);
    this.answer = { status, headers, body: { error: { code, message: code } } };
  }
}

function ianaOf(timeZone: string): string {
  const [iana] = timeZone === 'UTC' ? ['UTC'] : findIana(timeZone);
  if (iana === undefined) throw new Refused(400, 'TimeZoneNotSupportedException');
  return iana;
}

/** The instant of a time. */
export function instantOf({ dateTime, timeZone }: Time): Date {
  return fromWallClock(new Date(`${dateTime.slice(0, 19)}Z`), ianaOf(timeZone));
}

/** A time as Graph writes it. */
export function timeAt(at: Date, timeZone: string): Time {
  return { dateTime: `${wallClock(at, ianaOf(timeZone)).toISOString().slice(0, 19)}.0000000`, timeZone };
}

/** An event as a response has it: with times in UTC, except for whole days, and the body in the wanted form. */
export function rendered(stored: Stored, event: Json, prefer: string): Json {
  const [start, end] = [event['start'] as Time, event['end'] as Time];
  const isUtc = prefer.includes('outlook.timezone="UTC"');
  const time = (value: Time): Time => {
    if (event['isAllDay'] === true) return { ...value, timeZone: isUtc ? 'UTC' : value.timeZone };
    return isUtc ? timeAt(instantOf(value), 'UTC') : value;
  };
  const { content = '' } = (event['body'] ?? {}) as { content?: string };
  const isText = prefer.includes('outlook.body-content-type="text"');
  const text = content.replaceAll('\n', '\r\n');
  const { singleValueExtendedProperties, ...shown } = event;
  return {
    seriesMasterId: null,
    isCancelled: false,
    isAllDay: false,
    sensitivity: 'normal',
    isOnlineMeeting: false,
    onlineMeeting: null,
    transactionId: null,
    recurrence: null,
    location: { displayName: '' },
    attendees: [],
    ...shown,
    '@odata.etag': `W/"${stored.change}"`,
    changeKey: `key-${stored.change}`,
    originalStartTimeZone: start.timeZone,
    bodyPreview: content.slice(0, 255),
    body: isText
      ? { contentType: 'text', content: content && `${text}\r\n` }
      : { contentType: 'html', content: `<html><body>${text}</body></html>` },
    start: time(start),
    end: time(end),
  };
}

/** The days of the occurrences of a series. */
export function expanded(fields: Json): string[] {
  const { pattern, range } = fields['recurrence'] as { pattern: Json; range: Json };
  const found: string[] = [];
  const first = String(range['startDate']);
  const wanted = pattern['daysOfWeek'] as string[] | undefined;
  const max = Number(range['numberOfOccurrences'] ?? occurrencesMax);
  for (let day = first, index = 0; found.length < max && index < 400; day = addDays(first, ++index)) {
    if (range['type'] === 'endDate' && day > String(range['endDate'])) break;
    const interval = Number(pattern['interval']);
    const isDue =
      pattern['type'] === 'weekly'
        ? wanted?.includes(weekdays[new Date(day).getUTCDay()] as string) && Math.floor(index / 7) % interval === 0
        : pattern['type'] === 'daily'
          ? index % interval === 0
          : index === 0;
    if (isDue) found.push(day);
  }
  return found;
}

/** Refuses an event that Graph refuses. */
export function check(event: Json): void {
  const [start, end] = [event['start'], event['end']] as [Time | undefined, Time | undefined];
  if (!start || !end || instantOf(end) < instantOf(start)) throw new Refused(400, 'ErrorPropertyValidationFailure');
  const isMidnight = [start, end].every(({ dateTime }) => midnight.test(dateTime));
  if (event['isAllDay'] && (!isMidnight || start.timeZone !== end.timeZone || start.dateTime === end.dateTime))
    throw new Refused(400, 'ErrorPropertyValidationFailure');
  if (!event['recurrence']) return;
  const { pattern, range } = event['recurrence'] as { pattern: Json; range: Json };
  const names = required[String(pattern['type'])];
  const isComplete = names?.every((name) => pattern[name] !== undefined) && Number.isInteger(pattern['interval']);
  const isStart = range['startDate'] === dayOf(instantOf(start), ianaOf(start.timeZone));
  if (!isComplete || !isStart || !['endDate', 'noEnd', 'numbered'].includes(String(range['type'])))
    throw new Refused(400, 'ErrorPropertyValidationFailure');
  ianaOf(String(range['recurrenceTimeZone']));
}
