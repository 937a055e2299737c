import { actingUserId } from '@tandem/caller';
import { milestoneCreated, type milestones } from '@tandem/crm-contract';
import { checkUser, fail } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { lockOpportunity } from '../opportunities/opportunity.ts';
import { asMilestone, eventDataOf } from './milestone.ts';

const milestonesMax = 50;
const orderMax = 10_000;

export const createMilestone = (peers: Peers): Handler<typeof milestones.createMilestone> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'ownerId', body.ownerId, caller);
  },
  async run({ params, body, caller, tx, emit }) {
    const { id: opportunityId } = await lockOpportunity(tx, params.oid);
    if ((await tx.milestone.count({ where: { opportunityId } })) >= milestonesMax) throw fail('too_many_milestones');
    const order = body.order ?? (await nextOrder(tx, opportunityId));
    const data = { ...body, opportunityId, order, createdBy: actingUserId(caller) ?? null };
    const milestone = asMilestone(await tx.milestone.create({ data }));
    emit(milestoneCreated, { data: eventDataOf(milestone), record: milestone });
    return milestone;
  },
});

async function nextOrder(tx: Tx, opportunityId: number): Promise<number> {
  const last = await tx.milestone.findFirst({
    where: { opportunityId },
    orderBy: [{ order: 'desc' }, { id: 'desc' }],
    select: { order: true },
  });
  return last ? Math.min(last.order + 1, orderMax) : 0;
}
