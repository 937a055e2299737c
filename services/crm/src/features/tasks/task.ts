import { Task, taskStates, type taskStatuses } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Task as TaskRow } from '../../generated/client.ts';

export type TaskRecord = z.output<typeof Task>;
type TaskStatus = (typeof taskStatuses)[number];

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
