import type { subtasks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSubtask } from './subtask.ts';

export const getSubtask: Handler<typeof subtasks.getSubtask> = async ({ params, tx }) => {
  const row = await tx.subtask.findFirst({
    where: { id: params.subtaskId, taskId: params.id, task: { deletedAt: null } },
  });
  if (!row) throw fail('not_found');
  return asSubtask(row);
};
