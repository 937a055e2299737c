import { calendarEventCancelled, calendarEventUpdated } from '@tandem/crm-contract';
import type { CalendarTools } from '../calendar/tools.ts';
import { type StoredEvent, writeEvent } from './event.ts';
import { cancelExceptions, deleteExceptions, type Effects } from './exceptions.ts';
import { mailAttendees } from './invitations.ts';
import { endSeries } from './series.ts';

/**
 * Cancels a locked event, and with a series its changed occurrences. Attendees with an e-mail address get a message.
 * @param options.series the series of an exception
 * @param options.before the event before a change in the same request, of which only those who stay get the message
 */
export async function cancelEvent(
  tools: CalendarTools,
  effects: Effects,
  event: StoredEvent,
  { reason, series, before = event }: { reason: string | null; series?: StoredEvent | undefined; before?: StoredEvent },
): Promise<StoredEvent> {
  const { emit, sender } = effects;
  const cancelled = await writeEvent(sender.tx, event, { status: 'cancelled', sequence: event.row.sequence + 1 });
  emit(calendarEventCancelled, {
    data: { calendarEventId: event.row.id, reason },
    record: cancelled.record,
    changes: { status: { from: event.record.status, to: 'cancelled' } },
  });
  const ofExceptions = await cancelExceptions(effects, { ...event, attendees: before.attendees }, reason);
  const known = before.attendees.map(({ id }) => id);
  const to = cancelled.attendees.filter(({ id }) => known.includes(id));
  await mailAttendees(tools, sender, [
    { event: cancelled, before, occasion: 'cancelled', to, series, reason },
    ...ofExceptions,
  ]);
  return cancelled;
}

/** Ends a locked series before an occurrence, without the changed occurrences after it. */
export async function endSeriesEarly(
  tools: CalendarTools,
  effects: Effects,
  series: StoredEvent,
  occurrence: Date,
): Promise<StoredEvent> {
  const { emit, sender } = effects;
  const ofExceptions = await deleteExceptions(effects, series, { from: occurrence });
  const ended = await endSeries(sender.tx, series, occurrence);
  emit(calendarEventUpdated, {
    data: { calendarEventId: ended.row.id, fields: ['recurrence'] },
    record: ended.record,
    changes: { recurrence: { from: series.record.recurrence, to: ended.record.recurrence } },
  });
  await mailAttendees(tools, sender, [
    { event: ended, before: series, occasion: 'changed', to: ended.attendees },
    ...ofExceptions,
  ]);
  return ended;
}
