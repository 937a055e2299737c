import { actingUserId } from '@tandem/caller';
import { subtaskOrderMax, type subtasks, subtasksMax } from '@tandem/crm-contract';
import { checkUser, fail, failField } from '@tandem/service';
import type { Handler, Peers, Tx } from '../../handler.ts';
import { asSubtask } from './subtask.ts';
import { lockOpenTask, partChanged } from './task.ts';

export const createSubtask = (peers: Peers): Handler<typeof subtasks.createSubtask> => ({
  async check({ body, caller }) {
    if (body.parentSubtaskId)
      throw failField('parentSubtaskId', 'A subtask cannot have subtasks; omit this field to add it to the task');
    await checkUser(peers, 'assignedTo', body.assignedTo, caller);
  },
  async run({ params, body, caller, tx, emit }) {
    const { id: taskId } = await lockOpenTask(tx, params.id);
    if ((await tx.subtask.count({ where: { taskId } })) >= subtasksMax) throw fail('too_many_subtasks');
    const { title, assignedTo = null, dueAt = null, order = await nextOrder(tx, taskId) } = body;
    const createdBy = actingUserId(caller) ?? null;
    const row = await tx.subtask.create({ data: { taskId, title, assignedTo, dueAt, order, createdBy } });
    await partChanged({ tx, emit }, taskId, 'subtasks');
    return asSubtask(row);
  },
});

async function nextOrder(tx: Tx, taskId: number): Promise<number> {
  const last = await tx.subtask.findFirst({
    where: { taskId },
    orderBy: [{ order: 'desc' }, { id: 'desc' }],
    select: { order: true },
  });
  return last ? Math.min(last.order + 1, subtaskOrderMax) : 0;
}
