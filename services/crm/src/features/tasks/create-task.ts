import { actingUserId } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { taskCreated, type tasks } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import { checkUser } from '../../check-user.ts';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { asTask } from './task.ts';

export const createTask = (peers: Peers): Handler<typeof tasks.createTask> => ({
  check: ({ body, caller }) => checkUser(peers, 'assignedTo', body.assignedTo, caller),
  async run({ body, caller, tx, emit }) {
    await checkLinks(tx, body);
    const task = asTask(await tx.task.create({ data: { ...body, createdBy: actingUserId(caller) ?? null } }));
    emit(taskCreated, { data: { taskId: task.id, title: task.title, assigneeId: task.assignedTo }, record: task });
    return task;
  },
});

interface Links {
  leadId?: number | null | undefined;
  opportunityId?: number | null | undefined;
}

/** What the task is about must be there for who creates it. */
async function checkLinks(tx: Tx, { leadId, opportunityId }: Links): Promise<void> {
  const select = { id: true };
  const errors: FieldError[] = [];
  if (leadId && !(await tx.lead.findFirst({ where: { id: leadId, deletedAt: null }, select })))
    errors.push({ field: 'leadId', message: unknownId('lead') });
  if (opportunityId && !(await tx.opportunity.findFirst({ where: { id: opportunityId }, select })))
    errors.push({ field: 'opportunityId', message: unknownId('opportunity') });
  if (errors.length) throw fail('validation_failed', errors);
}
