import { type activities, activityDeleted } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { lockActivity } from './activity.ts';

export const deleteActivity: Handler<typeof activities.deleteActivity> = async ({ params, tx, emit, ifMatch }) => {
  const activity = await lockActivity(tx, params.id);
  ifMatch(activity);
  await tx.activity.deleteMany({ where: { id: activity.id } });
  emit(activityDeleted, { data: { activityId: activity.id }, record: activity });
  return { id: activity.id, deleted: true };
};
