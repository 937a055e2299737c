import type { tasks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTask } from './task.ts';
import { withParts } from './task-detail.ts';

export const getTask: Handler<typeof tasks.getTask> = async ({ params, tx }) => {
  const row = await tx.task.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return withParts(tx, asTask(row));
};
