import { taskDeleted } from '@tandem/crm-contract';
import { moveReminders } from './move-reminders.ts';
import { type TaskWork, writeTask } from './task.ts';

/** Marks a locked task as deleted, with its event. */
export async function removeTask({ tx, emit, schedule }: Omit<TaskWork, 'userId'>, taskId: number): Promise<void> {
  const deleted = await writeTask(tx, taskId, { deletedAt: new Date() });
  await moveReminders({ tx, schedule }, deleted);
  emit(taskDeleted, { data: { taskId }, record: deleted });
}
