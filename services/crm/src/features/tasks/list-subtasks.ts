import type { subtasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asSubtask } from './subtask.ts';
import { checkTask } from './task.ts';

export const listSubtasks: Handler<typeof subtasks.listSubtasks> = async ({ params, tx, list }) => {
  await checkTask(tx, params.id);
  const page = await list({ model: tx.subtask, where: { taskId: params.id } });
  return { ...page, items: page.items.map(asSubtask) };
};
