import type { tasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { removeTask } from './remove-task.ts';
import { lockTask } from './task.ts';

export const deleteTask: Handler<typeof tasks.deleteTask> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const task = await lockTask(tx, params.id);
  ifMatch(task);
  await removeTask({ tx, emit, schedule }, task.id);
  return { id: task.id, deleted: true };
};
