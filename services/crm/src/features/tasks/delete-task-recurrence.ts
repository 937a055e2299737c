import type { recurrences } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lockTask, partChanged } from './task.ts';

export const deleteTaskRecurrence: Handler<typeof recurrences.deleteTaskRecurrence> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const task = await lockTask(tx, params.id);
  ifMatch(task);
  if (task.seriesId === null) throw fail('not_found');
  await partChanged({ tx, emit }, task.id, 'recurrence', { seriesId: null, occurrence: null, occurrenceAt: null });
  return { id: task.id, deleted: true };
};
