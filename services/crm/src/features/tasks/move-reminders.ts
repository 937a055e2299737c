import type { Reminder } from '../../generated/client.ts';
import { fireReminderJob, remindTime } from './reminder.ts';
import { openStatuses, type TaskRecord, type TaskWork } from './task.ts';

/**
 * Brings the reminders of a task to its status and due time: those of a finished or deleted task are cancelled, and
 * relative ones of an open task are at their distance from the due time, as long as that is ahead. Reminders that were
 * sent, or cancelled by a request, stay as they are.
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
  const relative = await tx.reminder.findMany({
    where: { ...ofTask, status: { not: 'sent' }, minutesBefore: { not: null } },
    orderBy: { id: 'asc' },
  });
  for (const reminder of relative) {
    const next = nextState(reminder, task.dueAt);
    if (next.status === reminder.status && next.remindAt.getTime() === reminder.remindAt.getTime()) continue;
    // A job may have sent it since it was read.
    const where = { id: reminder.id, status: reminder.status };
    const { count } = await tx.reminder.updateMany({ where, data: { ...next, version: { increment: 1 } } });
    if (count && next.status === 'scheduled')
      await schedule(fireReminderJob, [{ reminderId: reminder.id, remindAt: next.remindAt }], next.remindAt);
  }
}

function nextState({ remindAt, minutesBefore }: Reminder, dueAt: Date | null): Pick<Reminder, 'status' | 'remindAt'> {
  if (dueAt === null || minutesBefore === null) return { status: 'cancelled', remindAt };
  const moved = remindTime(dueAt, minutesBefore);
  return moved > new Date() ? { status: 'scheduled', remindAt: moved } : { status: 'cancelled', remindAt };
}
