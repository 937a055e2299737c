import { type milestones, milestoneUpdated } from '@tandem/crm-contract';
import { checkUser, diff } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { eventDataOf, lockMilestone, writeMilestone } from './milestone.ts';

export const updateMilestone = (peers: Peers): Handler<typeof milestones.updateMilestone> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'ownerId', body.ownerId, caller);
  },
  async run({ params, body, tx, emit, ifMatch }) {
    const milestone = await lockMilestone(tx, params);
    ifMatch(milestone);
    const { isEmpty, values, audit } = diff(milestone, body);
    if (isEmpty) return milestone;
    const updated = await writeMilestone(tx, milestone.id, values);
    emit(milestoneUpdated, { data: eventDataOf(updated), record: updated, changes: audit });
    return updated;
  },
});
