import type { Caller } from '@tandem/caller';
import { actingUserId } from '@tandem/caller';
import type { tasks } from '@tandem/crm-contract';
import { type Assignee, checkUser, fail } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { changeTask } from './change-task.ts';
import { linkErrors } from './check-links.ts';
import { lockTask } from './task.ts';

export const updateTask = (peers: Peers): Handler<typeof tasks.updateTask, Assignee | undefined> => ({
  async check({ body, caller, tx, under }) {
    const assignee = await checkAssignment(peers, body, caller);
    const errors = await linkErrors({ tx, under }, body);
    if (errors.length) throw fail('validation_failed', errors);
    return assignee;
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found: assignee }) {
    const task = await lockTask(tx, params.id);
    ifMatch(task);
    const work = { tx, emit, schedule, userId: actingUserId(caller) ?? null };
    return changeTask(work, task, { change: body, assignee });
  },
});

/**
 * The new assignee, if the change names one; fails unless assignee and team can be used.
 * @param within the place of the change in the body, for field errors: `change.`
 */
export async function checkAssignment(
  peers: Peers,
  { assignedTo, teamId }: { assignedTo?: number | null | undefined; teamId?: number | null | undefined },
  caller: Caller,
  within = '',
): Promise<Assignee | undefined> {
  const assignee = await checkUser(peers, `${within}assignedTo`, assignedTo, caller);
  await checkTeam(peers, teamId, caller, `${within}teamId`);
  return assignee;
}
