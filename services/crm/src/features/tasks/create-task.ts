import { actingUserId } from '@tandem/caller';
import { taskCreated, type tasks } from '@tandem/crm-contract';
import { type Assignee, checkUser, defaultTeam, fail } from '@tandem/service';
import { linkErrors } from '../../check-links.ts';
import { checkPartner } from '../../check-partner.ts';
import { checkTeam } from '../../check-team.ts';
import type { Handler, Peers } from '../../handler.ts';
import { holdLead } from '../leads/lead.ts';
import { recurrenceErrors, startSeries } from './recurrence.ts';
import { addReminder, reminderError } from './reminder.ts';
import { asTask } from './task.ts';
import { withParts } from './task-detail.ts';

export const createTask = (peers: Peers): Handler<typeof tasks.createTask, Assignee | undefined> => ({
  async check({ body, caller, tx, under }) {
    const assignee = await checkUser(peers, 'assignedTo', body.assignedTo, caller);
    await checkTeam(peers, body.teamId, caller);
    await checkPartner(peers, body.partnerId, caller);
    const reminders = body.reminders.map((one, index) => reminderError(one, body.dueAt ?? null, `reminders.${index}.`));
    const { dueAt = null, recurrence } = body;
    const errors = [
      ...(await linkErrors({ tx, under }, body)),
      ...reminders.filter((error) => error !== undefined),
      ...(recurrence ? recurrenceErrors(recurrence, dueAt, 'recurrence.') : []),
    ];
    if (errors.length) throw fail('validation_failed', errors);
    return assignee;
  },
  async run({ body, caller, tx, emit, schedule, found: assignee }) {
    await holdLead(tx, body.leadId);
    const { reminders, recurrence, ...fields } = body;
    const userId = actingUserId(caller) ?? null;
    const teamId = body.teamId === undefined ? defaultTeam(caller, assignee) : body.teamId;
    const place = recurrence && (await startSeries(tx, recurrence, body.dueAt as Date));
    const row = await tx.task.create({ data: { ...fields, ...place, teamId, createdBy: userId } });
    const task = asTask(row);
    for (const reminder of reminders) await addReminder({ tx, schedule, userId }, task, reminder);
    emit(taskCreated, { data: { taskId: task.id, title: task.title, assigneeId: task.assignedTo }, record: task });
    return withParts(tx, task);
  },
});
