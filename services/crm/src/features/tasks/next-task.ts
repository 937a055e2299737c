import { taskCreated } from '@tandem/crm-contract';
import { fromWallClock, wallClock } from '@tandem/time-zones';
import type { TaskSeries } from '../../generated/client.ts';
import { nextPlace, placeOf, type SeriesPlace } from './recurrence.ts';
import { addReminder, asReminder, remindTime } from './reminder.ts';
import { asTask, type TaskRecord, type TaskWork } from './task.ts';

/**
 * Creates the next task of a series, when a recurring task is completed or cancelled. A task that was reopened and
 * completed again has its next task already.
 */
export async function createNextTask(work: TaskWork, task: TaskRecord): Promise<void> {
  const { tx, emit } = work;
  const place = placeOf(task);
  const series = place && (await tx.taskSeries.findFirst({ where: { id: place.seriesId } }));
  const next = series && nextPlace(series satisfies TaskSeries, place);
  if (!next || (await exists(work, next))) return;
  const { title, description, type, priority, leadId, opportunityId, partnerId, assignedTo, teamId, createdBy } = task;
  const row = await tx.task.create({
    data: {
      ...{ title, description, type, priority, leadId, opportunityId, partnerId, assignedTo, teamId, createdBy },
      ...next,
      dueAt: next.occurrenceAt,
    },
  });
  const created = asTask(row);
  await copySubtasks(work, { from: task, to: created, timezone: series.timezone });
  await copyReminders(work, { from: task, to: created });
  emit(taskCreated, {
    data: { taskId: created.id, title, assigneeId: assignedTo },
    record: created,
  });
}

/** Reads without the narrowing of the caller, because the next task may belong to somebody else by now. */
async function exists({ tx }: TaskWork, { seriesId, occurrence }: SeriesPlace): Promise<boolean> {
  const found = await tx.sql`SELECT 1 FROM task WHERE series_id = ${seriesId} AND occurrence = ${occurrence}`;
  return found.length > 0;
}

interface Copy {
  from: TaskRecord;
  to: TaskRecord;
}

/**
 * The subtasks begin anew, each as long before or after the task as in the previous one. Measured in the clock time of the
 * series, like the due times of its tasks, so that a clock change between the two does not move them.
 */
async function copySubtasks({ tx }: TaskWork, { from, to, timezone }: Copy & { timezone: string }): Promise<void> {
  const clock = (at: Date) => wallClock(at, timezone).getTime();
  const shiftMs = from.dueAt && to.dueAt ? clock(to.dueAt) - clock(from.dueAt) : 0;
  const subtasks = await tx.subtask.findMany({
    where: { taskId: from.id },
    orderBy: [{ order: 'asc' }, { id: 'asc' }],
  });
  if (!subtasks.length) return;
  await tx.subtask.createMany({
    data: subtasks.map(({ title, assignedTo, dueAt, order, createdBy }) => ({
      ...{ taskId: to.id, title, assignedTo, order, createdBy },
      dueAt: dueAt && fromWallClock(new Date(clock(dueAt) + shiftMs), timezone),
    })),
  });
}

/** Relative reminders move to the next task, as far as their time is ahead. */
async function copyReminders({ tx, schedule }: TaskWork, { from, to }: Copy): Promise<void> {
  const rows = await tx.reminder.findMany({
    where: { taskId: from.id, isDeleted: false, minutesBefore: { not: null } },
    orderBy: { id: 'asc' },
  });
  for (const reminder of rows.map(asReminder)) {
    const isAhead = to.dueAt !== null && remindTime(to.dueAt, reminder.minutesBefore ?? 0) > new Date();
    if (isAhead) await addReminder({ tx, schedule, userId: reminder.createdBy }, to, reminder);
  }
}
