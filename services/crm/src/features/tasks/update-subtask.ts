import { actingUserId } from '@tandem/caller';
import type { subtasks } from '@tandem/crm-contract';
import { checkUser } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { changeSubtask, lockSubtask } from './subtask.ts';

export const updateSubtask = (peers: Peers): Handler<typeof subtasks.updateSubtask> => ({
  async check({ body, caller }) {
    await checkUser(peers, 'assignedTo', body.assignedTo, caller);
  },
  async run({ params, body, caller, tx, emit, ifMatch }) {
    const { subtask } = await lockSubtask(tx, params);
    ifMatch(subtask);
    return changeSubtask({ tx, emit, userId: actingUserId(caller) ?? null }, subtask, body);
  },
});
