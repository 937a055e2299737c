import type { tasks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTask } from './task.ts';

export const getTask: Handler<typeof tasks.getTask> = async ({ params, tx }) => {
  const row = await tx.task.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asTask(row);
};
