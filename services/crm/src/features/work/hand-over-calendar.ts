import { bookingLinkUpdated, calendarEventUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import { diff } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asBookingLink, lockBookingLink } from '../booking-links/booking-link.ts';
import { withAttendees, writeEvent } from '../calendar-events/event.ts';

// Events that are changed in one transaction; their locks last until its end.
const batchMax = 100;

export interface Inside {
  tx: Tx;
  emit: Emit;
}

/** A user who left, and the one who takes over. */
export interface Leaving {
  userId: number;
  successorId: number | null;
}

/**
 * Hands over the calendar of a user who left. Events that are not over, and booking links, go to the successor. Without
 * one, events stay as they are, and nobody can book with the user: links lose them as a host, and a link without another
 * host is deactivated.
 * @returns whether there may be more events
 */
export const handOverCalendar =
  ({ publicUrl }: { publicUrl: string }) =>
  async (inside: Inside, { userId, successorId }: Leaving): Promise<boolean> => {
    if (successorId !== null && (await handOverEvents(inside, userId, successorId))) return true;
    await handOverLinks(inside, { userId, successorId, publicUrl });
    return false;
  };

async function handOverEvents({ tx, emit }: Inside, userId: number, organizerId: number): Promise<boolean> {
  const now = new Date();
  const where = {
    organizerId: userId,
    status: 'scheduled',
    OR: [
      { recurrence: null, endAt: { gt: now } },
      { recurrence: { not: null }, seriesEndAt: null },
      { recurrence: { not: null }, seriesEndAt: { gt: now } },
    ],
  };
  const found = await tx.calendarEvent.findMany({
    where,
    orderBy: { id: 'asc' },
    take: batchMax,
    select: { id: true },
  });
  for (const { id } of found) {
    const row = await tx.calendarEvent.lockFirst({ where: { id, organizerId: userId, status: 'scheduled' } });
    if (!row) continue;
    const [event] = await withAttendees(tx, [row]);
    if (!event) continue;
    const { record } = await writeEvent(tx, event, { organizerId });
    emit(calendarEventUpdated, {
      data: { calendarEventId: id, fields: ['organizerId'] },
      record,
      changes: { organizerId: { from: userId, to: organizerId } },
    });
  }
  return found.length === batchMax;
}

async function handOverLinks(
  { tx, emit }: Inside,
  { userId, successorId, publicUrl }: Leaving & { publicUrl: string },
): Promise<void> {
  const where = { hostIds: { has: userId }, ...(successorId === null && { active: true }) };
  const found = await tx.bookingLink.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } });
  for (const { id } of found) {
    const before = asBookingLink(await lockBookingLink(tx, id), { publicUrl });
    const hosts = before.hostIds.map((host) => (host === userId ? successorId : host));
    const hostIds = [...new Set(hosts.filter((host) => host !== null))];
    const isLeft = !hostIds.length;
    const { isEmpty, values, audit } = diff(before, isLeft ? { active: false } : { hostIds });
    if (isEmpty) continue;
    const data = { ...values, version: { increment: 1 } };
    const [row] = await tx.bookingLink.updateManyAndReturn({ where: { id }, data });
    if (!row) continue;
    const reason = isLeft ? 'The only host has left, and has no successor' : 'A host has left';
    emit(bookingLinkUpdated, {
      data: { bookingLinkId: id, fields: Object.keys(values), reason },
      record: asBookingLink(row, { publicUrl }),
      changes: audit,
    });
  }
}
