import { actingUserId } from '@tandem/caller';
import type { taskWork } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { withNextTask } from './series.ts';
import { setStatus } from './set-status.ts';

export const completeTask: Handler<typeof taskWork.completeTask> = async ({
  params,
  body,
  caller,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const work = { tx, emit, schedule, userId: actingUserId(caller) ?? null };
  return withNextTask(tx, await setStatus(work, params.id, { ...body, to: 'completed', ifMatch }));
};
