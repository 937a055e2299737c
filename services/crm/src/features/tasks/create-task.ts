import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { taskCreated, type tasks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import { checkUser } from '../../check-user.ts';
import type { Handler, Peers } from '../../handler.ts';
import { asTask } from './task.ts';

export const createTask = (peers: Peers): Handler<typeof tasks.createTask> => ({
  async check({ body, caller, tx, under }) {
    await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    const { leadId, opportunityId } = body;
    const select = { id: true };
    const errors: FieldError[] = [];
    if (leadId) {
      const where = { id: leadId, deletedAt: null };
      const lead = await under('leads:read', () => tx.lead.findFirst({ where, select }));
      if (!lead) errors.push({ field: 'leadId', message: unknownId('lead') });
    }
    if (opportunityId) {
      const where = { id: opportunityId };
      const opportunity = await under('opportunities:read', () => tx.opportunity.findFirst({ where, select }));
      if (!opportunity) errors.push({ field: 'opportunityId', message: unknownId('opportunity') });
    }
    if (errors.length) throw fail('validation_failed', errors);
  },
  async run({ body, caller, tx, emit }) {
    const teamId = body.teamId === undefined ? onlyTeamOf(caller) : body.teamId;
    const row = await tx.task.create({ data: { ...body, teamId, createdBy: actingUserId(caller) ?? null } });
    const task = asTask(row);
    emit(taskCreated, { data: { taskId: task.id, title: task.title, assigneeId: task.assignedTo }, record: task });
    return task;
  },
});
