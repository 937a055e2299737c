import { taskRestored, type tasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { moveReminders } from './move-reminders.ts';
import { lockTask, writeTask } from './task.ts';

export const restoreTask: Handler<typeof tasks.restoreTask> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const task = await lockTask(tx, params.id, 'deleted');
  ifMatch(task);
  const restored = await writeTask(tx, task.id, { deletedAt: null });
  await moveReminders({ tx, schedule }, restored);
  emit(taskRestored, { data: { taskId: task.id }, record: restored });
  return restored;
};
