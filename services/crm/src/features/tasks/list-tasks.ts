import { actingUserId } from '@tandem/caller';
import type { tasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asTask, openStatuses } from './task.ts';

const noUserId = 0;

export const listTasks: Handler<typeof tasks.listTasks> = async ({ query, caller, tx, list }) => {
  const { status, type, priority, assignedTo, teamId, mine, leadId, opportunityId, dueFrom, dueTo, overdue } = query;
  const page = await list({
    model: tx.task,
    where: {
      ...(status && { status }),
      ...(type && { type }),
      ...(priority && { priority }),
      ...(assignedTo !== undefined && { assignedTo }),
      ...(teamId !== undefined && { teamId }),
      ...(leadId !== undefined && { leadId }),
      ...(opportunityId !== undefined && { opportunityId }),
    },
    and: [
      ...(mine ? [{ assignedTo: actingUserId(caller) ?? noUserId }] : []),
      ...(dueFrom ? [{ dueAt: { gte: dueFrom } }] : []),
      ...(dueTo ? [{ dueAt: { lte: dueTo } }] : []),
      ...(overdue === undefined ? [] : overdueConditions(overdue)),
    ],
    searchIn: ['title'],
    nullable: ['dueAt'],
  });
  return { ...page, items: page.items.map(asTask) };
};

function overdueConditions(overdue: boolean): Record<string, unknown>[] {
  const now = new Date();
  if (overdue) return [{ status: { in: [...openStatuses] } }, { dueAt: { lt: now } }];
  return [{ OR: [{ dueAt: null }, { dueAt: { gte: now } }, { status: { in: ['completed', 'cancelled'] } }] }];
}
