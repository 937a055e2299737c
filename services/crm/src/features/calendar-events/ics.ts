import { dayOf, wallClock } from '@tandem/time-zones';
import { getVtimezoneComponent } from '@touch4it/ical-timezones';
import ical, {
  ICalAttendeeStatus,
  ICalCalendarMethod,
  ICalEventClass,
  type ICalEventData,
  ICalEventStatus,
} from 'ical-generator';
import type { EventRecord, StoredEvent } from './event.ts';

export interface IcsOptions {
  /** The action of the recipient's calendar; without it the file only shows the event. */
  method?: 'REQUEST' | 'CANCEL';
  organizer: { name: string; email: string };
  /** The series of the file: its exceptions name their occurrence in the same zone, and by day if it has whole days. */
  series?: { timezone: string; allDay: boolean };
}

const statuses = {
  pending: ICalAttendeeStatus.NEEDSACTION,
  accepted: ICalAttendeeStatus.ACCEPTED,
  tentative: ICalAttendeeStatus.TENTATIVE,
  declined: ICalAttendeeStatus.DECLINED,
};

/** Writes events as an iCalendar file (RFC 5545): one event, or a series with its exceptions. */
export function icsOf(events: readonly StoredEvent[], options: IcsOptions): string {
  const calendar = ical({
    prodId: { company: 'Tandem', product: 'Calendar' },
    ...(options.method && { method: ICalCalendarMethod[options.method] }),
  });
  for (const event of events) calendar.createEvent(dataOf(event, options));
  const zones = new Set(events.map(({ record }) => zoneOf(record, options)).filter((zone) => zone !== undefined));
  const definitions = [...zones].map((zone) => definitionOf(zone)).join('');
  // RFC 5545 allows no control characters in texts; the library writes them.
  const written = calendar.toString().replace(/(?![\t\r\n])\p{Cc}/gu, '');
  const file = written.replace('BEGIN:VEVENT', `${definitions}BEGIN:VEVENT`);
  // The library writes the occurrence as a time, which does not match a series that begins with a day (RFC 5545, 3.8.4.4).
  return options.series?.allDay
    ? file.replace(/RECURRENCE-ID(?:;TZID=[^:\r\n]*)?:(\d{8})T000000Z?/g, 'RECURRENCE-ID;VALUE=DATE:$1')
    : file;
}

function dataOf({ row, record }: StoredEvent, options: IcsOptions): ICalEventData {
  const { startAt, endAt, allDay, recurrence, originalStartAt, attendees } = record;
  const timezone = zoneOf(record, options);
  // With a zone, the library writes the UTC fields of a date as the clock time of the zone.
  const time = (at: Date) => (timezone === undefined ? at : wallClock(at, timezone));
  const day = (at: Date, zone = record.timezone) => new Date(`${dayOf(at, zone)}T00:00:00Z`);
  const { series } = options;
  return {
    id: row.uid,
    sequence: row.sequence,
    stamp: row.updatedAt,
    created: row.createdAt,
    lastModified: row.updatedAt,
    start: allDay ? day(startAt) : time(startAt),
    end: allDay ? day(endAt) : time(endAt),
    allDay,
    ...(timezone !== undefined && !allDay && { timezone }),
    ...(recurrence !== null && { repeating: `RRULE:${ruleOf(recurrence, record)}` }),
    ...(originalStartAt !== null && {
      recurrenceId: series?.allDay ? day(originalStartAt, series.timezone) : time(originalStartAt),
    }),
    summary: record.title,
    description: record.description,
    location: record.location,
    url: record.joinUrl,
    status:
      record.status === 'cancelled' || options.method === 'CANCEL'
        ? ICalEventStatus.CANCELLED
        : ICalEventStatus.CONFIRMED,
    ...(record.visibility === 'private' && { class: ICalEventClass.PRIVATE }),
    organizer: options.organizer,
    attendees: attendees.flatMap(({ email, name, response }) =>
      email === null ? [] : [{ email, ...(name !== null && { name }), rsvp: true, status: statuses[response] }],
    ),
  };
}

/** The rule of a series. The UNTIL of one with whole days is a day, like its start (RFC 5545, 3.3.10). */
function ruleOf(rule: string, { allDay, timezone }: EventRecord): string {
  if (!allDay) return rule;
  return rule.replace(/UNTIL=(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?/, (_, ...parts: string[]) => {
    const [year, month, date, hour, minute, second, zone] = parts;
    const isInstant = zone === 'Z';
    const day = isInstant
      ? dayOf(new Date(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`), timezone)
      : `${year}-${month}-${date}`;
    return `UNTIL=${day.replaceAll('-', '')}`;
  });
}

/** The zone in which an event is written. One that does not repeat is written in UTC, which every calendar knows. */
function zoneOf(record: EventRecord, { series }: IcsOptions): string | undefined {
  if (record.allDay) return undefined;
  if (record.recurringEventId !== null) return series?.timezone;
  return record.recurrence === null ? undefined : record.timezone;
}

/** The definition of a zone that the file uses; clients know those without a definition by their name. */
function definitionOf(timezone: string): string {
  const definition = getVtimezoneComponent(timezone);
  return definition ? `${definition.trim().replace(/\r?\n/g, '\r\n')}\r\n` : '';
}
