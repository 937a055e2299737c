import { milestoneReopened, milestoneStates, type milestones } from '@tandem/crm-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockMilestone, writeMilestone } from './milestone.ts';

export const reopenMilestone: Handler<typeof milestones.reopenMilestone> = async ({ params, tx, emit, ifMatch }) => {
  const { id, status, ...milestone } = await lockMilestone(tx, params);
  ifMatch(milestone);
  if (!milestoneStates.has(status, 'pending'))
    throw fail('transition_refused', [transitionError(status, milestone.allowedTransitions)]);
  const reopened = await writeMilestone(tx, id, { status: 'pending', completedAt: null, completedBy: null });
  const changes = { status: { from: status, to: reopened.status } };
  emit(milestoneReopened, { data: eventDataOf(reopened), record: reopened, changes });
  return reopened;
};
