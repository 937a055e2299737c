import { actingUserId } from '@tandem/caller';
import type { tasks } from '@tandem/crm-contract';
import { type Assignee, fail } from '@tandem/service';
import { checkAssignment } from '../../check-assignment.ts';
import { linkErrors } from '../../check-links.ts';
import { checkPartner } from '../../check-partner.ts';
import type { Handler, Peers } from '../../handler.ts';
import { changeTask } from './change-task.ts';
import { withNextTask } from './series.ts';
import { lockTask } from './task.ts';

export const updateTask = (peers: Peers): Handler<typeof tasks.updateTask, Assignee | undefined> => ({
  async check({ body, caller, tx, under }) {
    const assignee = await checkAssignment(peers, body, caller);
    await checkPartner(peers, body.partnerId, caller);
    const errors = await linkErrors({ tx, under }, body);
    if (errors.length) throw fail('validation_failed', errors);
    return assignee;
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found: assignee }) {
    const task = await lockTask(tx, params.id);
    ifMatch(task);
    const work = { tx, emit, schedule, userId: actingUserId(caller) ?? null };
    return withNextTask(tx, await changeTask(work, task, { change: body, assignee }));
  },
});
