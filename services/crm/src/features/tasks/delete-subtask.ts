import type { subtasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { lockSubtask } from './subtask.ts';
import { partChanged } from './task.ts';

export const deleteSubtask: Handler<typeof subtasks.deleteSubtask> = async ({ params, tx, emit, ifMatch }) => {
  const { subtask } = await lockSubtask(tx, params);
  ifMatch(subtask);
  await tx.subtask.deleteMany({ where: { id: subtask.id } });
  await partChanged({ tx, emit }, subtask.taskId, 'subtasks');
  return { id: subtask.id, deleted: true };
};
