import type { CalendarFields } from '../../connectors/sync.ts';
import type { Tools } from '../../handler.ts';
import { hashOf } from './link.ts';

/** An event as crm returns it. */
export type Event = Awaited<ReturnType<Tools['crm']['getCalendarEvent']>>;

/** The fields of an event in the form of connected calendars. */
export function fieldsOfEvent(event: Event): CalendarFields {
  const { title, description, timezone, allDay, location, joinUrl, visibility, recurrence } = event;
  const times = { startAt: event.startAt.toISOString(), endAt: event.endAt.toISOString() };
  return { title, description, ...times, timezone, allDay, location, joinUrl, visibility, recurrence };
}

/** The attendees with an address, of whom connected calendars know. */
export function guestsOfEvent({ attendees }: Event): { email: string; name: string | null }[] {
  return attendees.flatMap(({ email, name }) => (email === null ? [] : [{ email, name }]));
}

/** A digest of what connected calendars get of an event. */
export function hashOfEvent(event: Event): string {
  return hashOf([fieldsOfEvent(event), guestsOfEvent(event), event.status]);
}
