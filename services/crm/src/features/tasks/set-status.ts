import { changeTask, type TaskChange } from './change-task.ts';
import { checkTransition, lockTask, type TaskRecord, type TaskStatus, type TaskWork } from './task.ts';

/** A change of the status of a task, and what the request says about it. */
type StatusChange = Omit<TaskChange, 'change' | 'assignee'> & {
  to: TaskStatus;
  ifMatch?: (task: TaskRecord) => void;
};

/** Locks a task and changes its status; a task that has the status already cannot change to it. */
export async function setStatus(
  work: TaskWork,
  id: number,
  { to, ifMatch, ...input }: StatusChange,
): Promise<TaskRecord> {
  const task = await lockTask(work.tx, id);
  ifMatch?.(task);
  checkTransition(task, to);
  return changeTask(work, task, { ...input, change: { status: to } });
}
