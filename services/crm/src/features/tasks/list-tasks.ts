import { actingUserId } from '@tandem/caller';
import { me } from '@tandem/contract';
import type { tasks } from '@tandem/crm-contract';
import type { ListFilter } from '@tandem/service';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';
import { withSeries } from './series.ts';
import { asTask, openStatuses } from './task.ts';

const noUserId = 0;

export const listTasks: Handler<typeof tasks.listTasks> = async ({ query, caller, tx, list }) => {
  const userId = actingUserId(caller) ?? noUserId;
  const { assignedTo, mine, ...filters } = query;
  const page = await list({
    model: tx.task,
    ...listedTasks(
      { ...filters, ...(assignedTo !== undefined && { assignedTo: assignedTo === me ? userId : assignedTo }) },
      mine ? userId : undefined,
    ),
    nullable: ['dueAt'],
  });
  return { ...page, items: await withSeries(tx, page.items.map(asTask)) };
};

type Filters = Omit<Partial<z.output<typeof tasks.listTasks.query>>, 'assignedTo' | 'mine'> & {
  assignedTo?: number | undefined;
};

/**
 * The tasks that the list has for its filters.
 * @param mine the acting user, if the list has only the tasks that are assigned to them
 */
export function listedTasks(filters: Filters, mine?: number): ListFilter {
  const { status, type, priority, assignedTo, teamId } = filters;
  const { leadId, opportunityId, partnerId } = filters;
  const { dueFrom, dueTo, completedFrom, completedTo, open, overdue, deleted } = filters;
  return {
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(status && { status }),
      ...(type && { type }),
      ...(priority && { priority }),
      ...(assignedTo !== undefined && { assignedTo }),
      ...(teamId !== undefined && { teamId }),
      ...(leadId !== undefined && { leadId }),
      ...(opportunityId !== undefined && { opportunityId }),
      ...(partnerId !== undefined && { partnerId }),
    },
    and: [
      ...(mine === undefined ? [] : [{ assignedTo: mine }]),
      ...(dueFrom ? [{ dueAt: { gte: dueFrom } }] : []),
      ...(dueTo ? [{ dueAt: { lte: dueTo } }] : []),
      ...(completedFrom ? [{ completedAt: { gte: completedFrom } }] : []),
      ...(completedTo ? [{ completedAt: { lte: completedTo } }] : []),
      ...(open === undefined ? [] : [{ status: { in: open ? [...openStatuses] : ['completed', 'cancelled'] } }]),
      ...(overdue === undefined ? [] : overdueConditions(overdue)),
    ],
    searchIn: ['title'],
  };
}

function overdueConditions(overdue: boolean): Record<string, unknown>[] {
  const now = new Date();
  if (overdue) return [{ status: { in: [...openStatuses] } }, { dueAt: { lt: now } }];
  return [{ OR: [{ dueAt: null }, { dueAt: { gte: now } }, { status: { in: ['completed', 'cancelled'] } }] }];
}
