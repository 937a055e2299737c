import { actingUserId } from '@tandem/caller';
import type { taskWork } from '@tandem/crm-contract';
import { type Assignee, checkUser } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { changeTask } from './change-task.ts';
import { lockTask } from './task.ts';

export const assignTask = (peers: Peers): Handler<typeof taskWork.assignTask, Assignee | undefined> => ({
  check: ({ body, caller }) => checkUser(peers, 'assignedTo', body.assignedTo, caller),
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found: assignee }) {
    const task = await lockTask(tx, params.id);
    ifMatch(task);
    const { assignedTo, note } = body;
    const work = { tx, emit, schedule, userId: actingUserId(caller) ?? null };
    return changeTask(work, task, { change: { assignedTo }, assignee, note });
  },
});
