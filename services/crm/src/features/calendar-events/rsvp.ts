import { fail, type InTenant } from '@tandem/service';
import type { CalendarAttendee as AttendeeRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { CalendarTools, Invited } from '../calendar/tools.ts';
import { type EventRecord, type StoredEvent, withAttendees } from './event.ts';

/**
 * The invitation of a link.
 * @throws 404 when the link was changed or has expired
 */
export function invitedBy({ links }: Pick<CalendarTools, 'links'>, token: string): Invited {
  const invited = links.read(token);
  if (invited === 'expired') throw fail('link_expired');
  if (!invited) throw fail('not_found');
  return invited;
}

/**
 * The event of an invitation, and who is invited; locked if the answer is written.
 * @throws 404 when the event was deleted, or the person is not invited any more
 */
export async function findInvitation(
  tx: Tx,
  { attendeeId }: Invited,
  use: 'read' | 'write' = 'read',
): Promise<{ event: StoredEvent; attendee: AttendeeRow }> {
  const invited = await tx.calendarAttendee.findFirst({ where: { id: attendeeId } });
  if (!invited) throw fail('not_found');
  const where = { id: invited.eventId };
  const row = await (use === 'write' ? tx.calendarEvent.lockFirst({ where }) : tx.calendarEvent.findFirst({ where }));
  if (!row) throw fail('not_found');
  const [event] = (await withAttendees(tx, [row])) as [StoredEvent];
  const attendee = event.attendees.find(({ id }) => id === attendeeId);
  if (!attendee) throw fail('not_found');
  return { event, attendee };
}

/** The event as the invited person sees it. */
export function asRsvp(event: EventRecord, { email }: AttendeeRow) {
  const { title, startAt, endAt, timezone, allDay, status, location, joinUrl, recurrence, attendees } = event;
  const response = attendees.find((one) => one.email === email)?.response ?? 'pending';
  return { title, startAt, endAt, timezone, allDay, status, location, joinUrl, recurrence, response };
}

/** Reads the invitation of a link. */
export function readRsvp(tools: CalendarTools, token: string, inTenant: InTenant<Tx>) {
  const invited = invitedBy(tools, token);
  const { tenantId, environment } = invited;
  return inTenant({ tenantId, environment }, async ({ tx }) => {
    const { event, attendee } = await findInvitation(tx, invited);
    return asRsvp(event.record, attendee);
  });
}
