import { actingUserId } from '@tandem/caller';
import { milestoneCompleted, milestoneStates, type milestones } from '@tandem/crm-contract';
import { fail, transitionError } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockMilestone, writeMilestone } from './milestone.ts';

export const completeMilestone: Handler<typeof milestones.completeMilestone> = async (context) => {
  const { params, caller, tx, emit, ifMatch } = context;
  const { id, status, ...milestone } = await lockMilestone(tx, params);
  ifMatch(milestone);
  if (!milestoneStates.has(status, 'completed'))
    throw fail('transition_refused', [transitionError(status, milestone.allowedTransitions)]);
  const completedBy = actingUserId(caller) ?? null;
  const completed = await writeMilestone(tx, id, { status: 'completed', completedAt: new Date(), completedBy });
  const changes = { status: { from: status, to: completed.status } };
  emit(milestoneCompleted, { data: eventDataOf(completed), record: completed, changes });
  return completed;
};
