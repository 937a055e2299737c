import { taskAssigned, taskCompleted, taskReopened, taskUpdated } from '@tandem/crm-contract';
import { type Assignee, diff, fail, failField, teamOfAssignee } from '@tandem/service';
import { moveReminders } from './move-reminders.ts';
import { createNextTask } from './next-task.ts';
import { checkTransition, openStatuses, type TaskRecord, type TaskStatus, type TaskWork, writeTask } from './task.ts';

type Fields = { [Field in keyof TaskRecord]?: TaskRecord[Field] | undefined };

/** A change of a task, and what the request says about it. */
export interface TaskChange {
  change: Fields;
  /** The new assignee, if the change names one. */
  assignee?: Assignee | undefined;
  outcome?: string | null | undefined;
  note?: string | null | undefined;
  reason?: string | null | undefined;
  /** Completes the task in spite of open subtasks. */
  force?: boolean | undefined;
}

/**
 * Writes a change of a locked task, with its events and what follows from it: reminders are cancelled, moved or scheduled
 * again, and the end of a recurring task creates the next one. A change that changes nothing is none.
 */
export async function changeTask(work: TaskWork, task: TaskRecord, input: TaskChange): Promise<TaskRecord> {
  const change = diff(task, withTeam(task, input));
  if (change.isEmpty) return task;
  const { values } = change;
  if (values.dueAt === null && task.seriesId !== null)
    throw failField('dueAt', 'Is required while the task recurs; delete its recurrence first');
  if (values.status) await checkStatus(work, task, { to: values.status, force: input.force });
  // Before the task is written: a narrowed caller who assigns it to somebody else does not reach its parts any more.
  await changeParts(work, { before: task, after: { ...task, ...values } });
  const updated = await writeTask(work.tx, task.id, {
    ...values,
    ...resultOf(work, task, { ...input, to: values.status }),
  });
  emitChange(work, { before: task, after: updated, input, ...change });
  return updated;
}

async function changeParts(work: TaskWork, { before, after }: Pick<Changed, 'before' | 'after'>): Promise<void> {
  if (before.status !== after.status || before.dueAt?.getTime() !== after.dueAt?.getTime())
    await moveReminders(work, after);
  if (openStatuses.includes(before.status) && !openStatuses.includes(after.status)) await createNextTask(work, after);
}

/** A task follows a new assignee into their team, unless the request names a team. */
function withTeam(task: TaskRecord, { change, assignee }: TaskChange): Fields {
  if (!assignee || assignee.id === task.assignedTo || change.teamId !== undefined) return change;
  return { ...change, teamId: teamOfAssignee(assignee.teamIds, task.teamId) };
}

async function checkStatus(
  { tx }: TaskWork,
  task: TaskRecord,
  { to, force }: { to: TaskStatus; force: boolean | undefined },
): Promise<void> {
  checkTransition(task, to);
  if (to !== 'completed' || force) return;
  const open = await tx.subtask.count({ where: { taskId: task.id, status: 'pending' } });
  if (open) throw fail('open_subtasks', [{ field: 'force', message: `The task has ${open} open subtasks` }]);
}

/** The columns about the completion of a task, for a change of its status. */
function resultOf(
  { userId }: TaskWork,
  task: TaskRecord,
  { to, outcome, note }: TaskChange & { to: TaskStatus | undefined },
) {
  if (to === 'completed')
    return { completedAt: new Date(), completedBy: userId, outcome: outcome ?? null, outcomeNote: note ?? null };
  if (to && task.status === 'completed')
    return { completedAt: null, completedBy: null, outcome: null, outcomeNote: null };
  return {};
}

interface Changed {
  before: TaskRecord;
  after: TaskRecord;
  input: TaskChange;
  values: Fields;
  audit: Record<string, { from: unknown; to: unknown }>;
}

/** Completion and reopening have events of their own; every other change is an update. */
function emitChange({ emit }: TaskWork, { before, after, input, values, audit }: Changed): void {
  const { id: taskId } = after;
  const { status, ...others } = audit;
  const { note = null, reason = null } = input;
  const hasOwnEvent = values.status === 'completed' || values.status === 'pending';
  const updates = hasOwnEvent ? others : audit;
  if (Object.keys(updates).length) {
    const data = { taskId, fields: Object.keys(updates), ...(reason !== null && { reason }) };
    emit(taskUpdated, { data, record: after, changes: updates });
  }
  if (values.status === 'completed')
    emit(taskCompleted, { data: { taskId }, record: after, changes: { ...(status && { status }) } });
  if (values.status === 'pending')
    emit(taskReopened, {
      data: { taskId, from: before.status, reason },
      record: after,
      changes: { ...(status && { status }) },
    });
  if (values.assignedTo !== undefined)
    emit(taskAssigned, { data: { taskId, from: before.assignedTo, to: after.assignedTo, note }, record: after });
}
