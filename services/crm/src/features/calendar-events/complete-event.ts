import { calendarEventCompleted } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { requireScheduled, type StoredEvent, writeEvent } from './event.ts';

/** Completes a locked event. */
export async function completeEvent(
  { tx, emit }: { tx: Tx; emit: Emit<typeof calendarEventCompleted> },
  event: StoredEvent,
): Promise<StoredEvent> {
  requireScheduled(event.record);
  const completed = await writeEvent(tx, event, { status: 'completed' });
  emit(calendarEventCompleted, {
    data: { calendarEventId: completed.row.id },
    record: completed.record,
    changes: { status: { from: 'scheduled', to: 'completed' } },
  });
  return completed;
}
