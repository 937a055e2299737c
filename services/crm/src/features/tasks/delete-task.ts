import { taskDeleted, type tasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { moveReminders } from './move-reminders.ts';
import { lockTask, type TaskWork, writeTask } from './task.ts';

export const deleteTask: Handler<typeof tasks.deleteTask> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const task = await lockTask(tx, params.id);
  ifMatch(task);
  await removeTask({ tx, emit, schedule }, task.id);
  return { id: task.id, deleted: true };
};

/** Marks a locked task as deleted, with its event. */
export async function removeTask({ tx, emit, schedule }: Omit<TaskWork, 'userId'>, taskId: number): Promise<void> {
  const deleted = await writeTask(tx, taskId, { deletedAt: new Date() });
  await moveReminders({ tx, schedule }, deleted);
  emit(taskDeleted, { data: { taskId }, record: deleted });
}
