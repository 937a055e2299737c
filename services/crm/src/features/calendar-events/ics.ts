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
  /** The time zone of a series; its exceptions are named in the same zone. */
  seriesTimezone?: string;
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
  return calendar.toString().replace('BEGIN:VEVENT', `${definitions}BEGIN:VEVENT`);
}

function dataOf({ row, record }: StoredEvent, options: IcsOptions): ICalEventData {
  const { startAt, endAt, allDay, recurrence, originalStartAt, attendees } = record;
  const timezone = zoneOf(record, options);
  // With a zone, the library writes the UTC fields of a date as the clock time of the zone.
  const time = (at: Date) => (timezone === undefined ? at : wallClock(at, timezone));
  const day = (at: Date) => new Date(`${dayOf(at, record.timezone)}T00:00:00Z`);
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
    ...(recurrence !== null && { repeating: `RRULE:${recurrence}` }),
    ...(originalStartAt !== null && { recurrenceId: time(originalStartAt) }),
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

/** The zone in which an event is written. One that does not repeat is written in UTC, which every calendar knows. */
function zoneOf(record: EventRecord, { seriesTimezone }: IcsOptions): string | undefined {
  if (record.allDay) return undefined;
  if (record.recurringEventId !== null) return seriesTimezone;
  return record.recurrence === null ? undefined : record.timezone;
}

/** The definition of a zone that the file uses; clients know those without a definition by their name. */
function definitionOf(timezone: string): string {
  const definition = getVtimezoneComponent(timezone);
  return definition ? `${definition.trim().replace(/\r?\n/g, '\r\n')}\r\n` : '';
}
