// Events of Google Calendar: https://developers.google.com/workspace/calendar/api/v3/reference/events#resource
import { createHash } from 'node:crypto';
import { addDays, dayOf, startOfDay } from '@tandem/time-zones';
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
  isZone,
  joinUrlOf,
  locationOf,
  type Occurrence,
  objectsIn,
  stampOf,
  storable,
  timeIn,
  titleOf,
  wholeDays,
  withMarkup,
  withoutMarkup,
} from './calendar-fields.ts';
import { textIn } from './connector.ts';
import type { CalendarFields, OutgoingEvent } from './sync.ts';
import { objectOf, plainOf, type Values } from './values.ts';

// Calendars of a company may have more attendees than an event of the platform.
const attendeesRead = 500;
const entryPointsMax = 50;
const recurrenceLinesMax = 100;
const exceptionsMax = 200;
const lineMax = 20_000;
const propertyMax = 1_024;
/** The private properties that a copy has. Instances of a series inherit those of the series. */
const property = {
  id: 'tandemEventId',
  timezone: 'tandemTimezone',
  occurrence: 'tandemOccurrence',
  guests: 'tandemGuests',
} as const;

/** The id of the copy of an event: Google accepts 0 to 9 and a to v, and refuses a second event with the same id. */
export function googleIdOf(eventId: string): string {
  return `tandem${Buffer.from(eventId).toString('hex')}`;
}

/** The id of an instance of a series, which Google forms of the series and the original start. */
export function instanceIdOf(seriesId: string, originalStart: string): string {
  return `${seriesId}_${originalStart}`;
}

/** The id of the series that an event is an instance of. */
export function seriesIdOf(event: Values): string | null {
  return idIn(event, 'recurringEventId');
}

/** The time zone of an event. Those for whole days have none of their own, so that of the platform is a property. */
export function zoneOf(event: Values, inherited: string): string {
  const start = objectOf(event['start']);
  const own = privateOf(event)[property.timezone];
  const candidates = 'dateTime' in start ? [start['timeZone'], own] : [own, start['timeZone']];
  return candidates.find(isZone) ?? inherited;
}

/** Whether the sync is about an event: not about working locations, birthdays and the like, nor series without one rule. */
export function isSynced(event: Values): boolean {
  const { eventType = 'default', status } = event;
  if (idIn(event) === null) return false;
  if (status === 'cancelled') return true;
  return eventType === 'default' && ruleOf(event) !== undefined;
}

/**
 * The record of an event.
 * @param inherited the time zone of an event that has none: that of its series, or of the calendar
 */
export function googleRecord(event: Values, inherited: string): CalendarRecord {
  const id = String(idIn(event));
  const timezone = zoneOf(event, inherited);
  const occurrence = occurrenceOf(event, timezone);
  if (event['status'] === 'cancelled') return deletedRecord(id, occurrence, event);
  return {
    kind: 'calendar_event',
    id,
    version: textIn(event, 'etag') ?? '',
    source: plainOf(event),
    fields: fieldsOf(event, timezone, occurrence),
    attendees: addressesOf(guestsOf(event).map(({ email }) => email)),
    copyOf: copyOf(event, id, occurrence),
    ...(occurrence && { occurrence }),
  };
}

function fieldsOf(event: Values, timezone: string, occurrence: Occurrence | undefined): CalendarFields {
  const { description, joinUrl } = described(withoutMarkup(event['description']));
  return {
    title: titleOf(event['summary']),
    description,
    ...timesOf(event, timezone),
    timezone,
    location: locationOf(event['location']),
    joinUrl: joinUrl ?? conferenceOf(event),
    visibility: ['private', 'confidential'].includes(String(event['visibility'])) ? 'private' : 'default',
    recurrence: occurrence ? null : (ruleOf(event) ?? null),
  };
}

/** The times of an event. What is no time is returned as it is, so that the platform names the field that is wrong. */
function timesOf(event: Values, timezone: string): Pick<CalendarFields, 'startAt' | 'endAt' | 'allDay'> {
  const [start, end] = [objectOf(event['start']), objectOf(event['end'])];
  const firstDay = dayIn(start['date']);
  if (firstDay !== null)
    return { ...wholeDays(firstDay, dayIn(end['date']) ?? addDays(firstDay, 1), timezone), allDay: true };
  const time = (value: unknown) => timeIn(value, timezone)?.toISOString() ?? storable(value, 100);
  return { startAt: time(start['dateTime']), endAt: time(end['dateTime']), allDay: false };
}

/** The occurrence of a series that an event is. */
export function occurrenceOf(event: Values, timezone: string): Occurrence | undefined {
  const seriesId = seriesIdOf(event);
  const { date, dateTime } = objectOf(event['originalStartTime']);
  const day = dayIn(date);
  const at = day === null ? timeIn(dateTime, timezone) : startOfDay(day, timezone);
  return seriesId !== null && at ? { seriesId, originalStartAt: at.toISOString() } : undefined;
}

/**
 * The rule of an event; null if it does not repeat, undefined if the platform cannot express how it repeats: by several
 * rules, or on further dates.
 */
function ruleOf(event: Values): string | null | undefined {
  const lines = recurrenceOf(event);
  if (!lines.length) return null;
  const [rule, ...others] = lines.filter((line) => !/^EXDATE[;:]/i.test(line));
  return rule !== undefined && !others.length && /^RRULE:/i.test(rule)
    ? rule.slice('RRULE:'.length).toUpperCase()
    : undefined;
}

function recurrenceOf({ recurrence }: Values): string[] {
  const lines = Array.isArray(recurrence) ? recurrence.slice(0, recurrenceLinesMax) : [];
  return lines.map((line) => storable(line, lineMax).trim()).filter(Boolean);
}

/** The occurrences that a series leaves out by EXDATE, as other calendars write them; Google itself cancels instances. */
export function exceptionsOf(event: Values, inherited: string): Cancelled[] {
  const id = String(idIn(event));
  const timezone = zoneOf(event, inherited);
  const dates = recurrenceOf(event).flatMap((line) => {
    const [, zone, list = ''] = /^EXDATE(?:;TZID=([^:;]+)|;VALUE=[A-Z-]+)*:(.*)$/i.exec(line) ?? [];
    return list.split(',').map((date) => ({ date, zone: isZone(zone) ? zone : timezone }));
  });
  return dates.slice(0, exceptionsMax).flatMap(({ date, zone }): Cancelled[] => {
    const [, year, month, dayOfMonth, clock] = /^(\d{4})(\d\d)(\d\d)(T\d{6}Z?)?$/i.exec(date.trim()) ?? [];
    const day = dayIn(`${year}-${month}-${dayOfMonth}`);
    if (day === null) return [];
    const time = clock?.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3');
    const at = time === undefined ? startOfDay(day, timezone) : timeIn(`${day}${time}`, zone);
    if (at === null) return [];
    const stamp = time === undefined ? day.replaceAll('-', '') : stampOf(at);
    return [[instanceIdOf(id, stamp), id, at.toISOString()]];
  });
}

function conferenceOf(event: Values): string | null {
  const points = objectsIn(objectOf(event['conferenceData'])['entryPoints'], entryPointsMax);
  const video = points.find(({ entryPointType, uri }) => entryPointType === 'video' && joinUrlOf(uri) !== null);
  return joinUrlOf(event['hangoutLink']) ?? joinUrlOf(video?.['uri']);
}

/** The attendees other than the user and rooms. */
function guestsOf(event: Values): Values[] {
  return objectsIn(event['attendees'], attendeesRead).filter(
    ({ self, resource }) => self !== true && resource !== true,
  );
}

function privateOf(event: Values): Values {
  return objectOf(objectOf(event['extendedProperties'])['private']);
}

/** The event that this one is a copy of. Its id or occurrence confirm it: users duplicate events with their properties. */
function copyOf(event: Values, id: string, occurrence: Occurrence | undefined): string | null {
  const own = privateOf(event);
  const eventId = textIn(own, property.id);
  if (eventId === null) return null;
  const isCopy = occurrence ? own[property.occurrence] === occurrence.originalStartAt : googleIdOf(eventId) === id;
  return isCopy ? eventId : null;
}

/**
 * The resource that an event is written as. What the platform does not know is kept, and so is a value that reads like the
 * field of the event, such as a description with markup.
 */
export function resourceOf({ id, fields, attendees, occurrence }: OutgoingEvent, existing: Values): Values {
  const { title, location, visibility, timezone } = fields;
  const { recurrence, ...kept } = existing;
  const current = idIn(existing) === null ? null : fieldsOf(existing, timezone, occurrence);
  const isSame = (...names: (keyof CalendarFields)[]) => names.every((name) => current?.[name] === fields[name]);
  const joinUrl = fields.joinUrl === conferenceOf(existing) ? null : fields.joinUrl;
  const guests = writtenGuests(attendees, existing);
  return {
    ...kept,
    // Restores an event that was deleted.
    status: 'confirmed',
    ...(!isSame('title') && { summary: title }),
    ...(!isSame('description', 'joinUrl') && {
      description: withMarkup(describe({ description: fields.description, joinUrl })),
    }),
    ...(!isSame('location') && { location: location ?? '' }),
    ...(!isSame('visibility') && { visibility }),
    ...writtenTimes(fields),
    ...(!occurrence && fields.recurrence !== null && { recurrence: writtenRecurrence(fields, existing) }),
    attendees: guests.attendees,
    extendedProperties: {
      ...objectOf(existing['extendedProperties']),
      private: {
        ...privateOf(existing),
        [property.id]: id,
        [property.timezone]: timezone,
        [property.guests]: guests.added.join(','),
        ...(occurrence && { [property.occurrence]: occurrence.originalStartAt }),
      },
    },
  };
}

/** The times as Google expects them. A time zone is required for a series. */
function writtenTimes(fields: CalendarFields): Values {
  const { startAt, endAt, timezone: timeZone, allDay } = fields;
  if (!allDay) return { start: { dateTime: startAt, timeZone }, end: { dateTime: endAt, timeZone } };
  const { start, end } = daysOf(fields);
  return { start: { date: start, timeZone }, end: { date: end, timeZone } };
}

function writtenRecurrence(fields: CalendarFields, existing: Values): string[] {
  const dates = recurrenceOf(existing).filter((line) => /^EXDATE[;:]/i.test(line));
  return [`RRULE:${writtenRule(fields)}`, ...dates];
}

/** The rule with an UNTIL in the form of the start (RFC 5545, 3.3.10): a day, or a time in UTC. */
function writtenRule({ recurrence, timezone, allDay }: CalendarFields): string {
  return String(recurrence).replace(/UNTIL=(\d{4})(\d\d)(\d\d)(T\d{6}Z?)?/, (_, year, month, date, clock?: string) => {
    const day = `${year}-${month}-${date}`;
    const time = clock?.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3') ?? 'T23:59:59';
    const until = timeIn(`${day}${time}`, timezone);
    if (until === null || (allDay && clock === undefined)) return `UNTIL=${year}${month}${date}`;
    return `UNTIL=${allDay ? dayOf(until, timezone).replaceAll('-', '') : stampOf(until)}`;
  });
}

/**
 * The attendees: those of Google with their answers, which the platform does not know about, and those of the platform. Only
 * the platform's own ones are removed again; `added` has a digest of each.
 */
function writtenGuests(
  attendees: OutgoingEvent['attendees'],
  existing: Values,
): { attendees: Values[]; added: string[] } {
  const known = objectsIn(existing['attendees'], attendeesRead);
  const before = storable(privateOf(existing)[property.guests], propertyMax).split(',');
  const wanted = new Map(
    attendees.map(({ email, name }) => [digestOf(email), { email, displayName: name ?? undefined }]),
  );
  const kept = known.filter(({ email }) => !before.includes(digestOf(email)) || wanted.has(digestOf(email)));
  const present = new Set(kept.map(({ email }) => digestOf(email)));
  return {
    attendees: [...kept, ...[...wanted].filter(([digest]) => !present.has(digest)).map(([, attendee]) => attendee)],
    added: [...wanted.keys()].filter((digest) => !present.has(digest) || before.includes(digest)),
  };
}

/** A short digest of an address: a property has at most 1024 characters. */
function digestOf(email: unknown): string {
  return createHash('sha256').update(String(email).toLowerCase()).digest('hex').slice(0, 8);
}
