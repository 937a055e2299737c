import type { reminders } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asReminder } from './reminder.ts';
import { lockTask, partChanged } from './task.ts';

export const deleteTaskReminder: Handler<typeof reminders.deleteTaskReminder> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const task = await lockTask(tx, params.id);
  const row = await tx.reminder.lockFirst({ where: { id: params.reminderId, taskId: task.id } });
  if (!row) throw fail('not_found');
  const reminder = asReminder(row);
  ifMatch(reminder);
  if (reminder.status !== 'scheduled') throw fail('reminder_closed');
  await tx.reminder.updateMany({
    where: { id: reminder.id },
    data: { status: 'cancelled', isDeleted: true, version: { increment: 1 } },
  });
  await partChanged({ tx, emit }, task.id, 'reminders');
  return { id: reminder.id, deleted: true };
};
