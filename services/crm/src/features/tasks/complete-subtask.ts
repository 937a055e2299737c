import { actingUserId } from '@tandem/caller';
import type { subtasks } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { changeSubtask, checkTransition, lockSubtask } from './subtask.ts';

export const completeSubtask: Handler<typeof subtasks.completeSubtask> = async ({
  params,
  caller,
  tx,
  emit,
  ifMatch,
}) => {
  const { subtask } = await lockSubtask(tx, params);
  ifMatch(subtask);
  checkTransition(subtask, 'completed');
  return changeSubtask({ tx, emit, userId: actingUserId(caller) ?? null }, subtask, { status: 'completed' });
};
