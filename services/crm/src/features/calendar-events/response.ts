import { fail } from '@tandem/service';
import type { CalendarAttendee as AttendeeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type StoredEvent, writeEvent } from './event.ts';

/**
 * Stores the answer of an attendee of a locked event, as its next version; the same answer again changes nothing.
 * @throws 409 when the event is cancelled
 */
export async function writeResponse(
  tx: Tx,
  event: StoredEvent,
  attendee: AttendeeRow,
  response: 'accepted' | 'tentative' | 'declined',
): Promise<{ isChanged: boolean; event: StoredEvent }> {
  if (event.row.status === 'cancelled') throw fail('event_cancelled');
  if (attendee.response === response) return { isChanged: false, event };
  const respondedAt = new Date();
  await tx.calendarAttendee.updateMany({ where: { id: attendee.id }, data: { response, respondedAt } });
  const attendees = event.attendees.map((one) => (one.id === attendee.id ? { ...one, response, respondedAt } : one));
  return { isChanged: true, event: await writeEvent(tx, { ...event, attendees }, {}) };
}
