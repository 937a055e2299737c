import { Task, taskStates, type taskStatuses, taskUpdated } from '@tandem/crm-contract';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Task as TaskRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type TaskRecord = z.output<typeof Task> &
  Pick<TaskRow, 'seriesId' | 'occurrence' | 'occurrenceAt' | 'deletedAt'>;
export type TaskStatus = (typeof taskStatuses)[number];

/** The transaction in which a task changes, and the user who changes it. */
export interface TaskWork {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
  userId: number | null;
}

const columns = Task.pick({ type: true, priority: true, status: true });

/** Statuses of tasks that are not finished. */
export const openStatuses: readonly TaskStatus[] = ['pending', 'in_progress'];

/** Converts a row to the contract's `Task`. */
export function asTask(row: TaskRow): TaskRecord {
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    allowedTransitions: taskStates.next(checked.status),
    overdue: row.dueAt !== null && row.dueAt < new Date() && openStatuses.includes(checked.status),
  };
}

/** Locks the task, so that checks on it still hold when it is written. */
export async function lockTask(tx: Tx, id: number, state: 'present' | 'deleted' = 'present'): Promise<TaskRecord> {
  const row = await tx.task.lockFirst({ where: { id } });
  if (!row || (state === 'present' && row.deletedAt)) throw fail('not_found');
  if (state === 'deleted' && !row.deletedAt) throw fail('not_deleted');
  return asTask(row);
}

/** Locks a task whose subtasks, reminders or level are about to change, which a finished task does not allow. */
export async function lockOpenTask(tx: Tx, id: number): Promise<TaskRecord> {
  const task = await lockTask(tx, id);
  if (!openStatuses.includes(task.status)) throw fail('task_closed');
  return task;
}

/** Fails unless the task exists, for operations that read the records that belong to it. */
export async function checkTask(tx: Tx, id: number): Promise<void> {
  if (!(await tx.task.findFirst({ where: { id, deletedAt: null }, select: { id: true } }))) throw fail('not_found');
}

/** Writes changes to a locked task as its next version. */
export async function writeTask(
  tx: Tx,
  id: number,
  data: Parameters<Tx['task']['updateManyAndReturn']>[0]['data'],
): Promise<TaskRecord> {
  const [row] = await tx.task.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asTask(row);
}

/** Writes that a part of a task changed, as a new version of the task, because the task is shown with its parts. */
export async function partChanged(
  { tx, emit }: Pick<TaskWork, 'tx' | 'emit'>,
  taskId: number,
  part: 'subtasks' | 'reminders' | 'recurrence',
  data: Parameters<typeof writeTask>[2] = {},
): Promise<TaskRecord> {
  const task = await writeTask(tx, taskId, data);
  emit(taskUpdated, { data: { taskId, fields: [part] }, record: task });
  return task;
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status: from, allowedTransitions }: TaskRecord, to: TaskStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(from, allowedTransitions)]);
}
