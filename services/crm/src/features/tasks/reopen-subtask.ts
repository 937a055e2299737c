import { actingUserId } from '@tandem/caller';
import type { subtasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { changeSubtask, checkTransition, lockSubtask } from './subtask.ts';

export const reopenSubtask: Handler<typeof subtasks.reopenSubtask> = async ({ params, caller, tx, emit, ifMatch }) => {
  const { subtask } = await lockSubtask(tx, params);
  ifMatch(subtask);
  checkTransition(subtask, 'pending');
  return changeSubtask({ tx, emit, userId: actingUserId(caller) ?? null }, subtask, { status: 'pending' });
};
