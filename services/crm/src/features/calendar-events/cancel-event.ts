import { calendarEventCancelled, calendarEventUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { CalendarTools } from '../calendar/tools.ts';
import { type StoredEvent, withAttendees, writeEvent } from './event.ts';
import { mailAttendees } from './invitations.ts';
import { endSeries, exceptionsFrom } from './series.ts';

interface Effects {
  emit: Emit<typeof calendarEventCancelled | typeof calendarEventUpdated>;
  sender: Parameters<typeof mailAttendees>[1];
}

/**
 * Cancels a locked event, and with a series its changed occurrences. Attendees with an e-mail address are told.
 * @param options.series the series of an exception
 */
export async function cancelEvent(
  tools: CalendarTools,
  { emit, sender }: Effects,
  event: StoredEvent,
  { reason, series }: { reason: string | null; series?: StoredEvent | undefined },
): Promise<StoredEvent> {
  const { tx } = sender;
  const exceptions = await tx.calendarEvent.findMany({
    where: { recurringEventId: event.row.id, status: 'scheduled' },
  });
  const all = [event, ...(await withAttendees(tx, exceptions))];
  const cancelled: StoredEvent[] = [];
  for (const one of all) {
    const written = await writeEvent(tx, one, { status: 'cancelled', sequence: one.row.sequence + 1 });
    emit(calendarEventCancelled, {
      data: { calendarEventId: one.row.id, reason },
      record: written.record,
      changes: { status: { from: one.record.status, to: 'cancelled' } },
    });
    cancelled.push(written);
  }
  const [first] = cancelled as [StoredEvent];
  // The cancellation of a series includes its occurrences.
  await mailAttendees(tools, sender, [{ event: first, occasion: 'cancelled', to: first.attendees, series, reason }]);
  return first;
}

/** Ends a locked series before an occurrence, without the changed occurrences after it. */
export async function endSeriesEarly(
  tools: CalendarTools,
  { emit, sender }: Effects,
  series: StoredEvent,
  occurrence: Date,
): Promise<StoredEvent> {
  const { tx } = sender;
  await tx.calendarEvent.deleteMany({ where: exceptionsFrom(series, occurrence) });
  const ended = await endSeries(tx, series, occurrence);
  emit(calendarEventUpdated, {
    data: { calendarEventId: ended.row.id, fields: ['recurrence'] },
    record: ended.record,
    changes: { recurrence: { from: series.record.recurrence, to: ended.record.recurrence } },
  });
  await mailAttendees(tools, sender, [{ event: ended, occasion: 'changed', to: ended.attendees }]);
  return ended;
}
