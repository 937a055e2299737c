import { Subtask, subtaskStates, type subtaskStatuses } from '@tandem/crm-contract';
import { diff, fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Subtask as SubtaskRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { lockOpenTask, partChanged, type TaskRecord, type TaskWork } from './task.ts';

export type SubtaskRecord = z.output<typeof Subtask>;
type SubtaskStatus = (typeof subtaskStatuses)[number];
type SubtaskWork = Omit<TaskWork, 'schedule'>;

const columns = Subtask.pick({ status: true });

/** Converts a row to the contract's `Subtask`. */
export function asSubtask(row: SubtaskRow): SubtaskRecord {
  const { status } = columns.parse(row);
  return { ...row, status, allowedTransitions: subtaskStates.next(status) };
}

/** Locks a subtask with its task, which must be open. The task is locked first, like everywhere. */
export async function lockSubtask(
  tx: Tx,
  { id, subtaskId }: { id: number; subtaskId: number },
): Promise<{ task: TaskRecord; subtask: SubtaskRecord }> {
  if (!(await tx.subtask.findFirst({ where: { id: subtaskId, taskId: id, task: { deletedAt: null } } })))
    throw fail('not_found');
  const task = await lockOpenTask(tx, id);
  const row = await tx.subtask.lockFirst({ where: { id: subtaskId, taskId: id } });
  if (!row) throw fail('not_found');
  return { task, subtask: asSubtask(row) };
}

/** Writes a change of a locked subtask; one that changes nothing is none. */
export async function changeSubtask(
  { tx, emit, userId }: SubtaskWork,
  subtask: SubtaskRecord,
  change: { [Field in keyof SubtaskRecord]?: SubtaskRecord[Field] | undefined },
): Promise<SubtaskRecord> {
  const { isEmpty, values } = diff(subtask, change);
  if (isEmpty) return subtask;
  if (values.status) checkTransition(subtask, values.status);
  const completion = values.status && {
    completedAt: values.status === 'completed' ? new Date() : null,
    completedBy: values.status === 'completed' ? userId : null,
  };
  const [row] = await tx.subtask.updateManyAndReturn({
    where: { id: subtask.id },
    data: { ...values, ...completion, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  await partChanged({ tx, emit }, subtask.taskId, 'subtasks');
  return asSubtask(row);
}

/** Fails unless the state table allows the transition. */
export function checkTransition({ status: from, allowedTransitions }: SubtaskRecord, to: SubtaskStatus): void {
  if (!allowedTransitions.includes(to)) throw fail('transition_refused', [transitionError(from, allowedTransitions)]);
}
