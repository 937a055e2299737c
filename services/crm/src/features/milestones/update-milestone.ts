import type { milestones } from '@tandem/crm-contract';
import { checkUser } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { changeMilestone } from './change-milestone.ts';
import { lockMilestone } from './milestone.ts';

export const updateMilestone = (peers: Peers): Handler<typeof milestones.updateMilestone> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'ownerId', body.ownerId, caller);
  },
  async run(context) {
    const milestone = await lockMilestone(context.tx, context.params);
    context.ifMatch(milestone);
    return changeMilestone(context, milestone, context.body);
  },
});
