import { milestoneUpdated } from '@tandem/crm-contract';
import { diff } from '@tandem/service';
import { asMilestone, eventDataOf, writeMilestone } from '../milestones/milestone.ts';
import { asSubtask, changeSubtask } from '../tasks/subtask.ts';
import { openStatuses } from '../tasks/task.ts';
import type { Inside, Leaving } from './hand-over-calendar.ts';

// Records that are changed in one transaction; their locks last until its end.
const batchMax = 100;

/**
 * Hands over the pending subtasks of open tasks and the pending milestones of open opportunities of a user who left, to
 * nobody without a successor.
 * @returns whether there may be more
 */
export async function handOverParts(inside: Inside, leaving: Leaving): Promise<boolean> {
  return (await handOverSubtasks(inside, leaving)) || handOverMilestones(inside, leaving);
}

async function handOverSubtasks({ tx, emit }: Inside, { userId, successorId }: Leaving): Promise<boolean> {
  const own = { assignedTo: userId, status: 'pending' };
  const open = { deletedAt: null, status: { in: [...openStatuses] } };
  const found = await tx.subtask.findMany({
    where: { ...own, task: open },
    orderBy: [{ taskId: 'asc' }, { id: 'asc' }],
    take: batchMax,
    select: { id: true, taskId: true },
  });
  for (const { id, taskId } of found) {
    // The task is locked first, like everywhere.
    if (!(await tx.task.lockFirst({ where: { id: taskId, ...open } }))) continue;
    const row = await tx.subtask.lockFirst({ where: { id, ...own } });
    if (row) await changeSubtask({ tx, emit, userId: null }, asSubtask(row), { assignedTo: successorId });
  }
  return found.length === batchMax;
}

async function handOverMilestones({ tx, emit }: Inside, { userId, successorId }: Leaving): Promise<boolean> {
  const own = { ownerId: userId, status: 'pending' };
  const found = await tx.milestone.findMany({
    where: { ...own, opportunity: { deletedAt: null, status: 'open' } },
    orderBy: { id: 'asc' },
    take: batchMax,
    select: { id: true },
  });
  for (const { id } of found) {
    const row = await tx.milestone.lockFirst({ where: { id, ...own } });
    if (!row) continue;
    const { values, audit } = diff(asMilestone(row), { ownerId: successorId });
    const record = await writeMilestone(tx, id, values);
    emit(milestoneUpdated, { data: eventDataOf(record), record, changes: audit });
  }
  return found.length === batchMax;
}
