import { actingUserId } from '@tandem/caller';
import { type reminders, remindersMax } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { addReminder, reminderError } from './reminder.ts';
import { lockOpenTask, partChanged } from './task.ts';

export const createTaskReminder: Handler<typeof reminders.createTaskReminder> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const task = await lockOpenTask(tx, params.id);
  const error = reminderError(body, task.dueAt);
  if (error) throw fail('validation_failed', [error]);
  const scheduled = await tx.reminder.count({ where: { taskId: task.id, status: 'scheduled' } });
  if (scheduled >= remindersMax) throw fail('too_many_reminders');
  const reminder = await addReminder({ tx, schedule, userId: actingUserId(caller) ?? null }, task, body);
  await partChanged({ tx, emit }, task.id, 'reminders');
  return reminder;
};
