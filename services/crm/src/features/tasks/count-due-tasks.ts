import { actingUserId } from '@tandem/caller';
import type { internalTaskCounts } from '@tandem/crm-contract';
import { reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { openStatuses } from './task.ts';

type Counts = { overdue: number; due: number } | null;

export const countDueTasks: Handler<typeof internalTaskCounts.countDueTasks, Counts> = {
  async check({ body, caller, tx, under }) {
    const assignedTo = actingUserId(caller);
    if (caller.tenantId === undefined || assignedTo === undefined || reachOf(caller, 'tasks:read') === 'none')
      return null;
    const now = new Date();
    const open = { deletedAt: null, assignedTo, status: { in: [...openStatuses] } };
    return under('tasks:read', async () => ({
      overdue: await tx.task.count({ where: { ...open, dueAt: { lt: now } } }),
      due: await tx.task.count({ where: { ...open, dueAt: { gte: now, lt: body.until } } }),
    }));
  },
  run: ({ found }) => found,
};
