import { actingUserId } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { taskCreated, type tasks } from '@tandem/crm-contract';
import { type Assignee, checkUser, defaultTeam, fail } from '@tandem/service';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { asTask } from './task.ts';

export const createTask = (peers: Peers): Handler<typeof tasks.createTask, Assignee | undefined> => ({
  async check({ body, caller, tx, under }) {
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
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
    return assignee;
  },
  async run({ body, caller, tx, emit, found: assignee }) {
    const teamId = body.teamId === undefined ? defaultTeam(caller, assignee) : body.teamId;
    const row = await tx.task.create({ data: { ...body, teamId, createdBy: actingUserId(caller) ?? null } });
    const task = asTask(row);
    emit(taskCreated, { data: { taskId: task.id, title: task.title, assigneeId: task.assignedTo }, record: task });
    return task;
  },
});
