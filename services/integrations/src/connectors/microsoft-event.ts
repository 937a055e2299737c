// Events of Microsoft Graph: https://learn.microsoft.com/en-us/graph/api/resources/event
import { addDays, dayOf, fromWallClock, startOfDay, wallClock } from '@tandem/time-zones';
import type { Cancelled } from './calendar-cursor.ts';
import {
  addressesOf,
  type CalendarRecord,
  dayIn,
  daysOf,
  deletedRecord,
  describe,
  described,
  idIn,
  joinUrlOf,
  locationOf,
  type Occurrence,
  objectsIn,
  stampOf,
  storable,
  timeIn,
  titleOf,
  wholeDays,
} from './calendar-fields.ts';
import { textIn } from './connector.ts';
import { recurrenceFrom, ruleFrom } from './graph-recurrence.ts';
import { ianaZoneOf, windowsZoneOf } from './microsoft-zones.ts';
import type { CalendarFields, OutgoingEvent } from './sync.ts';
import { objectOf, plainOf, type Values } from './values.ts';

const attendeesRead = 500;
const exceptionsMax = 200;
const midnight = 'T00:00:00';
const transactionPrefix = 'tandem-';
/** A named property of MAPI in the set PS_PUBLIC_STRINGS. Graph finds events by it. */
export const idProperty = 'String {00020329-0000-0000-C000-000000000046} Name TandemEventId';

export function seriesIdOf(event: Values): string | null {
  return idIn(event, 'seriesMasterId');
}

/** Whether an item of a list is a changed occurrence. Unchanged ones tell nothing that the series does not. */
export function isException(event: Values): boolean {
  return event['type'] === 'exception';
}

export function isSeries(event: Values): boolean {
  return event['type'] === 'seriesMaster';
}

/** Whether an item of a list of changes has the properties that a record needs; those without a change may be missing. */
export function isComplete(event: Values): boolean {
  const required = ['type', 'subject', 'start', 'end', 'isAllDay', ...(isException(event) ? ['originalStart'] : [])];
  return required.every((name) => name in event);
}

/**
 * The id of the record of an occurrence. That of Graph is of no use: a cancelled occurrence has none any more, and a list
 * of changes does not have it.
 */
export function occurrenceId({ seriesId, originalStartAt }: Occurrence): string {
  return `${seriesId}~${stampOf(originalStartAt)}`;
}

/** The occurrence that the id of a record names. */
export function occurrenceOfId(id: string): Occurrence | undefined {
  const [, seriesId, day, time] = /^(.+)~(\d{8})T(\d{6})Z$/.exec(id) ?? [];
  if (seriesId === undefined) return undefined;
  const date = String(day).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3');
  const at = timeIn(`${date}T${String(time).replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`, 'UTC');
  return at ? { seriesId, originalStartAt: at.toISOString() } : undefined;
}

/** The time zone in which an event was created; times are read in UTC. */
export function zoneOf(event: Values): string {
  const { range } = objectOf(event['recurrence']);
  return ianaZoneOf(event['originalStartTimeZone']) ?? ianaZoneOf(objectOf(range)['recurrenceTimeZone']) ?? 'UTC';
}

/** The record of an event; null for a series whose pattern cannot be read. */
export function microsoftRecord(event: Values): CalendarRecord | null {
  const timezone = zoneOf(event);
  const occurrence = occurrenceOf(event, timezone);
  const id = occurrence ? occurrenceId(occurrence) : String(idIn(event));
  // The organizer has cancelled the meeting.
  if (event['isCancelled'] === true) return deletedRecord(id, occurrence, event);
  const recurrence = isSeries(event) ? ruleFrom(event['recurrence']) : null;
  if (isSeries(event) && recurrence === null) return null;
  return {
    kind: 'calendar_event',
    id,
    version: textIn(event, 'changeKey') ?? textIn(event, '@odata.etag') ?? '',
    source: plainOf(event),
    fields: { ...fieldsOf(event, timezone), recurrence },
    attendees: addressesOf(guestsOf(event)),
    copyOf: occurrence ? null : copyOf(event),
    ...(occurrence && { occurrence }),
  };
}

function fieldsOf(event: Values, timezone: string): Omit<CalendarFields, 'recurrence'> {
  const { contentType, content } = objectOf(event['body']);
  const { description, joinUrl } = described(contentType === 'text' ? content : event['bodyPreview']);
  return {
    title: titleOf(event['subject']),
    description,
    ...timesOf(event, timezone),
    timezone,
    location: locationOf(objectOf(event['location'])['displayName']),
    joinUrl: joinUrl ?? meetingOf(event),
    visibility: event['sensitivity'] === 'normal' || event['sensitivity'] === undefined ? 'default' : 'private',
  };
}

/** The times of an event. What is no time is returned as it is, so that the platform names the field that is wrong. */
function timesOf(event: Values, timezone: string): Pick<CalendarFields, 'startAt' | 'endAt' | 'allDay'> {
  const [start, end] = [timeOf(event['start']), timeOf(event['end'])];
  if (event['isAllDay'] === true && start.at) {
    const first = dayFrom(start.at, timezone);
    return { ...wholeDays(first, end.at ? dayFrom(end.at, timezone) : addDays(first, 1), timezone), allDay: true };
  }
  return { startAt: start.at?.toISOString() ?? start.text, endAt: end.at?.toISOString() ?? end.text, allDay: false };
}

function timeOf(value: unknown): { at: Date | null; text: string } {
  const { dateTime, timeZone } = objectOf(value);
  return { at: timeIn(dateTime, ianaZoneOf(timeZone) ?? 'UTC'), text: storable(dateTime, 100) };
}

/** The day of an event for whole days, which begins at midnight of every zone, or at that of its own one. */
function dayFrom(at: Date, timezone: string): string {
  const text = at.toISOString();
  return text.includes(midnight) ? text.slice(0, 'YYYY-MM-DD'.length) : dayOf(at, timezone);
}

/** The occurrence of a series that an event is. */
export function occurrenceOf(event: Values, timezone: string): Occurrence | undefined {
  const seriesId = seriesIdOf(event);
  if (seriesId === null) return undefined;
  const at = isException(event) ? timeIn(event['originalStart'], 'UTC') : timeOf(event['start']).at;
  if (!at) return undefined;
  const start = event['isAllDay'] === true ? startOfDay(dayFrom(at, timezone), timezone) : at;
  return { seriesId, originalStartAt: start.toISOString() };
}

/**
 * The occurrences of a series that do not take place: `OID.<id of the series>.2026-03-10`. A list of changes does not have
 * them.
 */
export function cancelledOf(series: Values, cancelledOccurrences: unknown): Cancelled[] {
  const seriesId = String(idIn(series));
  const record = microsoftRecord(series);
  if (!record || record.isDeleted || !Array.isArray(cancelledOccurrences)) return [];
  const { startAt, timezone } = record.fields;
  const first = timeIn(startAt, timezone);
  if (!first) return [];
  const clock = wallClock(first, timezone).toISOString().slice('YYYY-MM-DD'.length);
  // The newest ones are at the end.
  return cancelledOccurrences.slice(-exceptionsMax).flatMap((id): Cancelled[] => {
    const day = dayIn(/\.(\d{4}-\d\d-\d\d)$/.exec(storable(id, 1_000))?.[1]);
    if (day === null) return [];
    const originalStartAt = fromWallClock(new Date(`${day}${clock}`), timezone).toISOString();
    return [[occurrenceId({ seriesId, originalStartAt }), seriesId, originalStartAt]];
  });
}

function meetingOf(event: Values): string | null {
  return joinUrlOf(objectOf(event['onlineMeeting'])['joinUrl']) ?? joinUrlOf(event['onlineMeetingUrl']);
}

/** The addresses of the attendees other than rooms and the organizer. */
function guestsOf(event: Values): unknown[] {
  const addressOf = (value: unknown) => objectOf(objectOf(value)['emailAddress'])['address'];
  const organizer = addressOf(event['organizer']);
  const attendees = objectsIn(event['attendees'], attendeesRead).filter(({ type }) => type !== 'resource');
  return attendees.map(addressOf).filter((address) => address !== organizer);
}

/** A transaction id of the platform. An event that replaces a deleted copy has one with the id of that copy. */
export function transactionIdOf(eventId: string, replaced: string | null): string {
  return `${transactionPrefix}${eventId}${replaced === null ? '' : `-${replaced}`}`;
}

function copyOf(event: Values): string | null {
  const id = textIn(event, 'transactionId');
  return id?.startsWith(transactionPrefix) ? (id.split('-')[1] ?? null) : null;
}

/**
 * The resource that an event is written as. Attendees are left out, because Exchange would invite them again, and so is a
 * value that reads like the field of the event, such as a body with markup.
 */
export function resourceOf({ fields, occurrence }: OutgoingEvent, existing: Values): Values {
  const { title, description, location, visibility, timezone, recurrence } = fields;
  const current = idIn(existing) === null ? null : fieldsOf(existing, timezone);
  const isSame = (...names: (keyof Omit<CalendarFields, 'recurrence'>)[]) =>
    names.every((name) => current?.[name] === fields[name]);
  const joinUrl = fields.joinUrl === meetingOf(existing) ? null : fields.joinUrl;
  // The body of an online meeting has the data of the meeting, which would end without them.
  // https://learn.microsoft.com/en-us/graph/api/event-update#notes-for-updating-specific-properties
  const isBodyKept = existing['isOnlineMeeting'] === true || isSame('description', 'joinUrl');
  return {
    ...(!isSame('title') && { subject: title }),
    ...(!isBodyKept && { body: { contentType: 'text', content: describe({ description, joinUrl }) } }),
    ...(!isSame('location') && { location: { displayName: location ?? '' } }),
    ...(!isSame('visibility') && { sensitivity: visibility === 'private' ? 'private' : 'normal' }),
    ...writtenTimes(fields),
    ...(!occurrence && {
      recurrence: recurrence === null ? null : recurrenceFrom(fields, windowsZoneOf(timezone)),
    }),
  };
}

function writtenTimes(fields: CalendarFields): Values {
  const { startAt, endAt, timezone, allDay } = fields;
  const timeZone = windowsZoneOf(timezone);
  if (allDay) {
    const { start, end } = daysOf(fields);
    const day = (date: string) => ({ dateTime: `${date}${midnight}`, timeZone });
    return { isAllDay: true, start: day(start), end: day(end) };
  }
  const time = (text: string) => {
    const at = new Date(text);
    const shown = wallClock(at, timezone);
    // The clocks show a time twice when they are set back.
    const isUnique = fromWallClock(shown, timezone).getTime() === at.getTime();
    const dateTime = (isUnique ? shown : at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
    return { dateTime, timeZone: isUnique ? timeZone : 'UTC' };
  };
  return { isAllDay: false, start: time(startAt), end: time(endAt) };
}
