import type { recurrences } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { recurrenceErrors, startSeries } from './recurrence.ts';
import { withSeries } from './series.ts';
import { lockOpenTask, partChanged } from './task.ts';

export const setTaskRecurrence: Handler<typeof recurrences.setTaskRecurrence> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const task = await lockOpenTask(tx, params.id);
  ifMatch(task);
  const errors = recurrenceErrors(body, task.dueAt);
  if (errors.length) throw fail('validation_failed', errors);
  const place = await startSeries(tx, body, task.dueAt as Date);
  const updated = await partChanged({ tx, emit }, task.id, 'recurrence', place);
  const [placed] = await withSeries(tx, [updated]);
  if (!placed?.recurrence) throw new Error('The series of the task is missing');
  return { ...updated, recurrence: placed.recurrence };
};
