import { milestoneDeleted, type milestones } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { eventDataOf, lockMilestone } from './milestone.ts';

export const deleteMilestone: Handler<typeof milestones.deleteMilestone> = async ({ params, tx, emit, ifMatch }) => {
  const milestone = await lockMilestone(tx, params);
  ifMatch(milestone);
  await tx.milestone.deleteMany({ where: { id: milestone.id } });
  emit(milestoneDeleted, { data: eventDataOf(milestone), record: milestone });
  return { id: milestone.id, deleted: true };
};
