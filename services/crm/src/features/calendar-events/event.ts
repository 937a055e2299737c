import { actingUserId, type Caller } from '@tandem/caller';
import { CalendarAttendee, CalendarEvent, calendarEventStates } from '@tandem/crm-contract';
import { fail, reachOf, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { CalendarAttendee as AttendeeRow, CalendarEvent as EventRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type EventRecord = z.output<typeof CalendarEvent>;

/** An event with what its record does not show. */
export interface StoredEvent {
  record: EventRecord;
  row: EventRow;
  attendees: AttendeeRow[];
}

const columns = CalendarEvent.pick({ status: true, visibility: true });
const response = CalendarAttendee.shape.response;

/** Converts a row and its attendees to the contract's `CalendarEvent`. */
export function asEvent(row: EventRow, attendees: readonly AttendeeRow[]): EventRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    allowedTransitions: calendarEventStates.next(checked.status),
    attendees: attendees.map(({ userId, email, name, respondedAt, ...one }) => ({
      userId,
      email,
      name,
      respondedAt,
      response: response.parse(one.response),
    })),
  };
}

/** The condition for the events that a permission of the caller covers: own events are those of organizer and attendees. */
export function accessTo(caller: Caller, permission: string): Record<string, unknown> {
  const reach = reachOf(caller, permission);
  if (reach === 'all') return {};
  if (reach === 'none') throw fail('forbidden');
  return memberIs(reach.userId);
}

/** The condition for the events that a user organizes or attends. */
export function memberIs(userId: number): Record<string, unknown> {
  return { OR: [{ organizerId: userId }, { attendees: { some: { userId } } }] };
}

/** Whether the user organizes or attends the event. */
export function isMember({ organizerId, attendees }: Pick<EventRecord, 'organizerId' | 'attendees'>, userId?: number) {
  return userId !== undefined && (organizerId === userId || attendees.some((one) => one.userId === userId));
}

/** Whether the content of the event is hidden from the caller: it is private, and they neither organize nor attend it. */
function isHiddenFrom(caller: Caller, event: EventRecord): boolean {
  return event.visibility === 'private' && !isMember(event, actingUserId(caller));
}

/** The event as the caller sees it: of a private event of others only that the time is taken. */
export function seenBy(caller: Caller, event: EventRecord): EventRecord {
  if (!isHiddenFrom(caller, event)) return event;
  return {
    ...event,
    title: 'Busy',
    description: null,
    location: null,
    joinUrl: null,
    leadId: null,
    opportunityId: null,
    attendees: [],
  };
}

/** Reads the attendees of events, in the order in which they were added. */
export async function attendeesOf(tx: Tx, eventIds: readonly number[]): Promise<Map<number, AttendeeRow[]>> {
  const rows = eventIds.length
    ? await tx.calendarAttendee.findMany({ where: { eventId: { in: [...eventIds] } }, orderBy: { id: 'asc' } })
    : [];
  return Map.groupBy(rows, ({ eventId }) => eventId);
}

/** Reads events with their attendees. */
export async function withAttendees(tx: Tx, rows: readonly EventRow[]): Promise<StoredEvent[]> {
  const attendees = await attendeesOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const own = attendees.get(row.id) ?? [];
    return { row, attendees: own, record: asEvent(row, own) };
  });
}

/** Finds an event that the permission of the caller covers. */
export async function findEvent(tx: Tx, id: number, caller: Caller, permission: string): Promise<StoredEvent> {
  const row = await tx.calendarEvent.findFirst({ where: { id, ...accessTo(caller, permission) } });
  if (!row) throw fail('not_found');
  const [found] = await withAttendees(tx, [row]);
  return found as StoredEvent;
}

/** Finds an event that the caller may change with the permission. */
export async function findWritable(tx: Tx, id: number, caller: Caller, permission: string): Promise<StoredEvent> {
  const found = await findEvent(tx, id, caller, permission);
  requireWritable(found.record, caller, permission);
  return found;
}

/** Locks an event that the caller may change with the permission, so that checks on it still hold when it is written. */
export async function lockEvent(tx: Tx, id: number, caller: Caller, permission: string): Promise<StoredEvent> {
  const row = await tx.calendarEvent.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  const [found] = await withAttendees(tx, [row]);
  requireWritable((found as StoredEvent).record, caller, permission);
  return found as StoredEvent;
}

/**
 * Fails with 404 unless the permission of the caller covers the event. Nobody but its members changes a private event:
 * the reply to a change, and a place among the attendees, would reveal its content.
 */
export function requireWritable(event: EventRecord, caller: Caller, permission: string): void {
  const reach = reachOf(caller, permission);
  const isCovered = reach === 'all' || (reach !== 'none' && isMember(event, reach.userId));
  if (!isCovered || isHiddenFrom(caller, event)) throw fail('not_found');
}

/** Fails unless the event is scheduled: a completed or cancelled event does not change. */
export function requireScheduled({ status }: EventRecord): void {
  if (status !== 'scheduled')
    throw fail('transition_refused', [transitionError(status, calendarEventStates.next(status))]);
}

type EventData = Parameters<Tx['calendarEvent']['updateManyAndReturn']>[0]['data'];

/** Writes changes to a locked event as its next version. */
export async function writeEvent(tx: Tx, { row, attendees }: StoredEvent, data: EventData): Promise<StoredEvent> {
  const [written] = await tx.calendarEvent.updateManyAndReturn({
    where: { id: row.id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!written) throw fail('not_found');
  return { row: written, attendees, record: asEvent(written, attendees) };
}

/** Whether an event is a booking, or replaces a part of one. */
export function isFromBooking({ fromBooking, bookingLinkId }: Pick<EventRow, 'fromBooking' | 'bookingLinkId'>) {
  return fromBooking || bookingLinkId !== null;
}

/**
 * Marks a description as one of a user when a change gives it another text than the stored one. A client that sends the
 * answers of a visitor back unchanged has not written them.
 */
export function markOfText({ description }: Pick<EventRow, 'description'>, changed: string | null | undefined) {
  return changed === undefined || changed === description ? {} : { describedByUser: true };
}
