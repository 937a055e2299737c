import type { Reminder } from '../../generated/client.ts';
import { fireReminderJob, remindTime } from './reminder.ts';
import { openStatuses, type TaskRecord, type TaskWork } from './task.ts';

/**
 * Brings the reminders of a task to its status and due time: those of a finished or deleted task are cancelled, and
 * those of an open task are scheduled as long as their time is ahead, relative ones at their distance from the due time.
 * Reminders that were sent, or cancelled by a request, stay as they are.
 */
export async function moveReminders(
  { tx, schedule }: Pick<TaskWork, 'tx' | 'schedule'>,
  task: TaskRecord,
): Promise<void> {
  const ofTask = { taskId: task.id, isDeleted: false };
  if (task.deletedAt || !openStatuses.includes(task.status)) {
    const data = { status: 'cancelled', version: { increment: 1 } };
    await tx.reminder.updateMany({ where: { ...ofTask, status: 'scheduled' }, data });
    return;
  }
  const where = { ...ofTask, status: { not: 'sent' } };
  for (const reminder of await tx.reminder.findMany({ where, orderBy: { id: 'asc' } })) {
    const next = nextState(reminder, task.dueAt);
    if (next.status === reminder.status && next.remindAt.getTime() === reminder.remindAt.getTime()) continue;
    // A job may have sent it since it was read.
    const same = { id: reminder.id, status: reminder.status };
    const { count } = await tx.reminder.updateMany({ where: same, data: { ...next, version: { increment: 1 } } });
    if (count && next.status === 'scheduled')
      await schedule(fireReminderJob, [{ reminderId: reminder.id, remindAt: next.remindAt }], next.remindAt);
  }
}

function nextState(
  { status, remindAt, minutesBefore }: Reminder,
  dueAt: Date | null,
): Pick<Reminder, 'status' | 'remindAt'> {
  // The job of a reminder at a fixed time may be about to send it.
  if (minutesBefore === null && status === 'scheduled') return { status, remindAt };
  const next = minutesBefore === null ? remindAt : dueAt && remindTime(dueAt, minutesBefore);
  return next && next > new Date() ? { status: 'scheduled', remindAt: next } : { status: 'cancelled', remindAt };
}
