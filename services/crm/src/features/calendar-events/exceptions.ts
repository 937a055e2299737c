import { calendarEventCancelled, calendarEventDeleted, calendarEventUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { type StoredEvent, withAttendees, writeEvent } from './event.ts';
import type { Mailing, Sender } from './invitations.ts';

export interface Effects {
  emit: Emit<typeof calendarEventCancelled | typeof calendarEventDeleted | typeof calendarEventUpdated>;
  sender: Sender;
}

interface Affected {
  /** Only exceptions of this occurrence and later ones; all by default. */
  from?: Date;
}

/** Cancels the scheduled exceptions of a locked series, with their events. Returns the messages to send. */
export async function cancelExceptions(
  { emit, sender: { tx } }: Effects,
  series: StoredEvent,
  reason: string | null,
): Promise<Mailing[]> {
  const mailings: Mailing[] = [];
  for (const exception of await lockExceptions(tx, series, { status: 'scheduled' })) {
    const { id, sequence } = exception.row;
    const cancelled = await writeEvent(tx, exception, { status: 'cancelled', sequence: sequence + 1 });
    emit(calendarEventCancelled, {
      data: { calendarEventId: id, reason },
      record: cancelled.record,
      changes: { status: { from: 'scheduled', to: 'cancelled' } },
    });
    mailings.push({ event: cancelled, occasion: 'cancelled', to: guestsOf(cancelled, series), series, reason });
  }
  return mailings;
}

/** Deletes exceptions of a locked series, with their events. Returns the messages to send. */
export async function deleteExceptions(
  { emit, sender: { tx } }: Effects,
  series: StoredEvent,
  { from }: Affected = {},
): Promise<Mailing[]> {
  const exceptions = await lockExceptions(tx, series, from && { originalStartAt: { gte: from } });
  if (!exceptions.length) return [];
  await tx.calendarEvent.deleteMany({ where: { id: { in: exceptions.map(({ row }) => row.id) } } });
  return exceptions.flatMap((exception): Mailing[] => {
    const { row, record } = exception;
    emit(calendarEventDeleted, { data: { calendarEventId: row.id }, record });
    if (record.status !== 'scheduled') return [];
    const event = { ...exception, row: { ...row, sequence: row.sequence + 1 } };
    return [{ event, occasion: 'cancelled', to: guestsOf(exception, series), series }];
  });
}

/** Moves exceptions of a locked series to the series that continues it, with their events. Returns the messages to send. */
export async function moveExceptions(
  { emit, sender: { tx } }: Effects,
  series: StoredEvent,
  { from, to }: { from: Date; to: StoredEvent },
): Promise<Mailing[]> {
  const mailings: Mailing[] = [];
  for (const exception of await lockExceptions(tx, series, { originalStartAt: { gte: from } })) {
    const { id, sequence } = exception.row;
    const data = { recurringEventId: to.row.id, uid: to.row.uid, sequence: sequence + 1 };
    const moved = await writeEvent(tx, exception, data);
    emit(calendarEventUpdated, {
      data: { calendarEventId: id, fields: ['recurringEventId'] },
      record: moved.record,
      changes: { recurringEventId: { from: series.row.id, to: to.row.id } },
    });
    // Calendars of attendees know the occurrence by the uid of its series.
    if (moved.record.status === 'scheduled')
      mailings.push({ event: moved, occasion: 'changed', to: moved.attendees, series: to });
  }
  return mailings;
}

/**
 * The exceptions of a locked series, locked in the order of ids. The lock of the series does not cover them: they are
 * changed by their own id, too.
 */
export async function lockExceptions(tx: Tx, series: StoredEvent, condition: object = {}): Promise<StoredEvent[]> {
  const where = { recurringEventId: series.row.id, ...condition };
  const found = await tx.calendarEvent.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } });
  const rows: StoredEvent['row'][] = [];
  for (const { id } of found) {
    const row = await tx.calendarEvent.lockFirst({ where: { ...where, id } });
    if (row) rows.push(row);
  }
  return withAttendees(tx, rows);
}

/** The attendees of an exception who are not attendees of its series: a message about the series does not reach them. */
function guestsOf({ attendees }: StoredEvent, series: StoredEvent) {
  const addresses = new Set(series.attendees.map(({ email }) => email?.toLowerCase()));
  return attendees.filter(({ email }) => email !== null && !addresses.has(email.toLowerCase()));
}
