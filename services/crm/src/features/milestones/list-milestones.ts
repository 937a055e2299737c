import type { milestones } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asMilestone } from './milestone.ts';

export const listMilestones: Handler<typeof milestones.listMilestones> = async ({ params, query, tx, list }) => {
  if (!(await tx.opportunity.count({ where: { id: params.oid, deletedAt: null } }))) throw fail('not_found');
  const { status, overdue } = query;
  const page = await list({
    model: tx.milestone,
    where: { opportunityId: params.oid, ...(status && { status }) },
    and: overdue === undefined ? [] : overdueConditions(overdue),
    nullable: ['dueAt'],
  });
  return { ...page, items: page.items.map(asMilestone) };
};

function overdueConditions(overdue: boolean): Record<string, unknown>[] {
  const now = new Date();
  if (overdue) return [{ status: 'pending' }, { dueAt: { lt: now } }];
  return [{ OR: [{ dueAt: null }, { dueAt: { gte: now } }, { status: 'completed' }] }];
}
