import type { TaskDetail } from '@tandem/crm-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asReminder } from './reminder.ts';
import { withSeries } from './series.ts';
import { asSubtask } from './subtask.ts';
import type { TaskRecord } from './task.ts';

// Sent reminders stay, so a task can have more of them than can be scheduled at once.
const remindersShownMax = 100;

/** A task with its subtasks, reminders and recurrence. */
export async function withParts(tx: Tx, task: TaskRecord): Promise<z.output<typeof TaskDetail>> {
  const ofTask = { taskId: task.id };
  const subtasks = await tx.subtask.findMany({ where: ofTask, orderBy: [{ order: 'asc' }, { id: 'asc' }] });
  const reminders = await tx.reminder.findMany({
    where: ofTask,
    orderBy: [{ remindAt: 'asc' }, { id: 'asc' }],
    take: remindersShownMax,
  });
  const [placed] = (await withSeries(tx, [task])) as [Awaited<ReturnType<typeof withSeries>>[number]];
  return { ...placed, subtasks: subtasks.map(asSubtask), reminders: reminders.map(asReminder) };
}
