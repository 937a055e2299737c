import { mailboxOf } from '@tandem/contract';
import { bookingLimits } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

const hourMs = 3_600_000;
// More than a link has free times.
const aheadMax = 10_000;

/**
 * Limits the bookings of a locked link, because anybody can book: a script would fill the calendar of the hosts, and send
 * confirmations to strangers until the tenant may not send any more messages.
 * @throws 409 when the address has as many bookings ahead as it may; 429 when the link was booked too often within an hour
 */
export async function limitBookings(tx: Tx, { linkId, email }: { linkId: number; email: string }): Promise<void> {
  const latest = await tx.calendarEvent.findMany({
    where: { bookingLinkId: linkId, createdAt: { gt: new Date(Date.now() - hourMs) } },
    orderBy: { createdAt: 'desc' },
    take: bookingLimits.perHour,
    select: { createdAt: true },
  });
  const oldest = latest[bookingLimits.perHour - 1];
  if (oldest)
    throw fail('booking_limit', [], { retryAfter: (oldest.createdAt.getTime() + hourMs - Date.now()) / 1_000 });
  const ahead = await tx.sql<{ email: string }>`SELECT attendee.email FROM calendar_event AS event
    JOIN calendar_attendee AS attendee ON attendee.tenant_id = event.tenant_id
      AND attendee.environment = event.environment AND attendee.event_id = event.id
    WHERE event.tenant_id = platform.tenant_id() AND event.environment = platform.environment()
      AND event.booking_link_id = ${linkId} AND event.start_at > now() AND event.status = 'scheduled'
      AND attendee.email IS NOT NULL LIMIT ${aheadMax}::int`;
  const mailbox = mailboxOf(email);
  if (ahead.filter((one) => mailboxOf(one.email) === mailbox).length >= bookingLimits.aheadPerAddress)
    throw fail('too_many_bookings');
}
