import { event, id, listQuery, operations, page, stateTable, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { TaskTitle, taskUpdated } from './task.ts';

export const reminderStatuses = ['scheduled', 'sent', 'cancelled'] as const;
export const ReminderStatus = z.enum(reminderStatuses).describe('The status of the reminder');
export const ReminderChannel = z
  .enum(['in_app', 'email', 'webhook'])
  .describe('How the user is reminded: in the inbox, by e-mail, or only by the event `reminder.due`');

/** The highest number of scheduled reminders of a task. */
export const remindersMax = 20;
// 60 days.
const minutesBeforeMax = 86_400;

export const reminderStates = stateTable<(typeof reminderStatuses)[number]>('Reminder', {
  created: { scheduled: 'createTaskReminder' },
  changes: { scheduled: { cancelled: 'deleteTaskReminder' }, sent: {}, cancelled: {} },
  automatic: {
    scheduled: { sent: 'fire-reminder.job', cancelled: 'completeTask' },
    cancelled: { scheduled: 'reopenTask' },
  },
});

export const Reminder = z.object({
  id: id('reminder'),
  tenantId: id('tenant'),
  taskId: id('task').describe('The task that the reminder is about'),
  remindAt: timestamp().meta({ description: 'When the reminder is due', examples: ['2026-03-10T08:45:00.000Z'] }),
  minutesBefore: z
    .int()
    .nullable()
    .meta({
      description: 'The minutes before the due time of the task, with which the reminder moves; null for a fixed time',
      examples: [15],
    }),
  channel: ReminderChannel,
  status: ReminderStatus,
  allowedTransitions: z.array(ReminderStatus).meta({
    description: 'The statuses that this reminder can currently change to',
    examples: [['cancelled']],
  }),
  sentAt: timestamp()
    .nullable()
    .meta({ description: 'When the reminder was sent', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** A reminder in a request. */
export const ReminderInput = z.object({
  remindAt: timestamp()
    .nullish()
    .meta({ description: 'The time of the reminder. Send `remindAt` or `minutesBefore`', examples: [null] }),
  minutesBefore: z
    .int('Must be a whole number')
    .min(0, 'Must be at least 0')
    .max(minutesBeforeMax, `Must be at most ${minutesBeforeMax}`)
    .nullish()
    .meta({
      description: 'The minutes before the due time of the task. The reminder moves when the due time changes',
      examples: [15],
    }),
  channel: ReminderChannel.default('in_app'),
});

export const reminderDue = event('reminder.due', {
  group: 'reminders',
  readPermission: 'tasks:read',
  description: 'The time of a reminder of a task has come',
  action: 'reminder.send',
  target: 'reminder',
  data: z.object({
    taskId: id('task'),
    reminderId: id('reminder'),
    userId: id('user')
      .nullable()
      .describe('The user to remind: the assignee of the task, or otherwise the creator of the reminder'),
    channel: ReminderChannel,
    title: TaskTitle,
    dueAt: timestamp().nullable().describe('When the task is due'),
  }),
  record: Reminder,
  example: {
    taskId: 'I9Lchl0YhMgLRmeX',
    reminderId: '5NAlh9Hk9UKHf5cM',
    userId: 'a3HT7XOrDKJZ9JtB',
    channel: 'in_app',
    title: 'Call Ada back',
    dueAt: '2026-03-10T09:00:00.000Z',
  },
});

export const reminders = operations({
  createTaskReminder: {
    method: 'POST',
    path: '/v1/tasks/:id/reminders',
    permission: 'tasks:write',
    narrows: true,
    summary: 'Add a reminder to a task',
    description:
      'Reminds the assignee of the task, or otherwise the creator of the reminder. Reminders are cancelled when the task is completed, cancelled or deleted; relative ones that are still ahead are scheduled again when it is reopened or restored.',
    params: z.object({ id: id('task') }),
    body: ReminderInput,
    reply: Reminder,
    status: 201,
    message: 'Reminder created',
    emits: [taskUpdated],
    errors: {
      task_closed: [409, 'The task is completed or cancelled; reopen it first'],
      too_many_reminders: [409, `A task can have at most ${remindersMax} scheduled reminders; delete one first`],
    },
  },
  listTaskReminders: {
    method: 'GET',
    path: '/v1/tasks/:id/reminders',
    permission: 'tasks:read',
    narrows: true,
    summary: 'List the reminders of a task',
    description: 'Sorted by `remindAt` unless `sort` is set.',
    params: z.object({ id: id('task') }),
    query: listQuery(['remindAt', 'createdAt'], 'remindAt').omit({ search: true }),
    reply: page(Reminder),
    message: 'Reminders retrieved',
  },
  deleteTaskReminder: {
    method: 'DELETE',
    path: '/v1/tasks/:id/reminders/:reminderId',
    ifMatch: true,
    permission: 'tasks:write',
    narrows: true,
    summary: 'Cancel a reminder',
    params: z.object({ id: id('task'), reminderId: id('reminder') }),
    reply: z.object({ id: id('reminder'), deleted: z.literal(true).describe('Always true') }),
    message: 'Reminder cancelled',
    emits: [taskUpdated],
    errors: { reminder_closed: [409, 'The reminder was already sent or cancelled'] },
  },
});
