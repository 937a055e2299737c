import type { milestones } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { setStatus } from './change-milestone.ts';
import { lockMilestone } from './milestone.ts';

export const reopenMilestone: Handler<typeof milestones.reopenMilestone> = async (context) => {
  const milestone = await lockMilestone(context.tx, context.params);
  context.ifMatch(milestone);
  return setStatus(context, milestone, 'pending');
};
