import { type FieldError, id, timestamp } from '@tandem/contract';
import { Reminder, type ReminderInput, reminderStates } from '@tandem/crm-contract';
import { z } from 'zod';
import type { Reminder as ReminderRow } from '../../generated/client.ts';
import type { TaskRecord, TaskWork } from './task.ts';

type Input = z.output<typeof ReminderInput>;
export type ReminderRecord = z.output<typeof Reminder>;

/** Job that sends a reminder. It has the time of the reminder, because a reminder that moves gets another job. */
export const fireReminderJob = {
  name: 'fire-reminder',
  payload: z.object({ reminderId: id('reminder'), remindAt: timestamp() }),
};

const minuteMs = 60_000;

/** The time of a relative reminder. */
export function remindTime(dueAt: Date, minutesBefore: number): Date {
  return new Date(dueAt.getTime() - minutesBefore * minuteMs);
}

const columns = Reminder.pick({ channel: true, status: true });

/** Converts a row to the contract's `Reminder`. */
export function asReminder(row: ReminderRow): ReminderRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: reminderStates.next(checked.status) };
}

/**
 * The error in a reminder of a request; undefined if it can be scheduled.
 * @param within the place of the reminder in the body, for the error: `reminders.0.`
 */
export function reminderError(input: Input, dueAt: Date | null, within = ''): FieldError | undefined {
  const { remindAt, minutesBefore } = input;
  const hasTime = remindAt !== null && remindAt !== undefined;
  const isRelative = minutesBefore !== null && minutesBefore !== undefined;
  if (hasTime === isRelative) return { field: `${within}remindAt`, message: 'Send either remindAt or minutesBefore' };
  if (!isRelative)
    return (remindAt as Date) > new Date()
      ? undefined
      : { field: `${within}remindAt`, message: 'Must be in the future' };
  const field = `${within}minutesBefore`;
  if (dueAt === null) return { field, message: 'Requires a task with dueAt; send remindAt, or set dueAt first' };
  if (remindTime(dueAt, minutesBefore) > new Date()) return undefined;
  return { field, message: 'The time of the reminder has passed; send fewer minutes, or a later dueAt' };
}

/** Stores and schedules a reminder that `reminderError` has checked. */
export async function addReminder(
  { tx, schedule, userId }: Omit<TaskWork, 'emit'>,
  { id: taskId, dueAt }: Pick<TaskRecord, 'id' | 'dueAt'>,
  { remindAt: fixed, minutesBefore = null, channel }: Input,
): Promise<ReminderRecord> {
  const remindAt = minutesBefore === null ? (fixed as Date) : remindTime(dueAt as Date, minutesBefore);
  const row = await tx.reminder.create({ data: { taskId, remindAt, minutesBefore, channel, createdBy: userId } });
  await schedule(fireReminderJob, [{ reminderId: row.id, remindAt }], remindAt);
  return asReminder(row);
}
