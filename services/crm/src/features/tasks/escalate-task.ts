import { actingUserId } from '@tandem/caller';
import type { escalations } from '@tandem/crm-contract';
import { type Assignee, checkUser, fail, failField } from '@tandem/service';
import type { Handler, Peers } from '../../handler.ts';
import { escalate, leadOfTeamFor } from './escalation.ts';
import { lockOpenTask } from './task.ts';

export const escalateTask = (peers: Peers): Handler<typeof escalations.escalateTask, Assignee> => ({
  async check({ params, body, caller, tx }) {
    const task = await tx.task.findFirst({ where: { id: params.id, deletedAt: null }, select: { teamId: true } });
    if (!task) throw fail('not_found');
    const toUserId = body.toUserId ?? (await leadOfTeamFor(peers, task.teamId, caller));
    const user = await checkUser(peers, 'toUserId', toUserId, caller);
    if (!user) throw failField('toUserId', 'Is required, because the task has no team with a lead');
    return user;
  },
  async run({ params, body, caller, tx, emit, ifMatch, found: to }) {
    const task = await lockOpenTask(tx, params.id);
    ifMatch(task);
    const work = { tx, emit, userId: actingUserId(caller) ?? null };
    return escalate(work, task, { to, action: 'notify', reason: body.reason ?? null });
  },
});
