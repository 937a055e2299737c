import { reminderDue } from '@tandem/crm-contract';
import { type JobContext, job } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { asReminder, fireReminderJob } from './reminder.ts';
import { openStatuses } from './task.ts';

/** Sends a reminder once: by the event, for the inbox, the mail or the webhooks of the user. */
export const fireReminder = job({
  ...fireReminderJob,
  async run({ payload: { reminderId, remindAt }, finish }: JobContext<z.output<typeof fireReminderJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const before = await tx.reminder.lockFirst({ where: { id: reminderId } });
      if (before?.status !== 'scheduled' || before.remindAt.getTime() !== remindAt.getTime()) return;
      const task = await tx.task.findFirst({ where: { id: before.taskId, deletedAt: null } });
      if (!task || !openStatuses.some((status) => status === task.status)) return;
      const [row] = await tx.reminder.updateManyAndReturn({
        where: { id: reminderId },
        data: { status: 'sent', sentAt: new Date(), version: { increment: 1 } },
      });
      if (!row) return;
      const reminder = asReminder(row);
      const { id: taskId, title, dueAt, assignedTo } = task;
      const userId = assignedTo ?? reminder.createdBy;
      emit(reminderDue, {
        data: { taskId, reminderId, userId, channel: reminder.channel, title, dueAt },
        record: reminder,
      });
    });
  },
});
