import { assigneeFilter, flag, id, listQuery, operations, page, sharedErrors, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Recurrence, RecurrenceInput } from './recurrence.ts';
import { Reminder, ReminderInput, remindersMax } from './reminders.ts';
import { Subtask } from './subtasks.ts';
import {
  Task,
  TaskPriority,
  TaskStatus,
  TaskTitle,
  TaskType,
  taskAssigned,
  taskCompleted,
  taskCreated,
  taskDeleted,
  taskReopened,
  taskRestored,
  taskUpdated,
} from './task.ts';
import { TaskWithNext, taskErrors } from './task-work.ts';

/** A task with its place in a series. */
export const TaskSummary = TaskWithNext.extend({
  recurrence: Recurrence.nullable().meta({
    description: 'The series that the task belongs to; null if it does not recur',
    examples: [null],
  }),
});

/** A task with the records that belong to it. */
export const TaskDetail = TaskSummary.extend({
  subtasks: z.array(Subtask).meta({ description: 'The subtasks, by `order`', examples: [[]] }),
  reminders: z.array(Reminder).meta({ description: 'The reminders, by time', examples: [[]] }),
});

const fields = {
  description: text(5000).nullish(),
  dueAt: timestamp()
    .nullish()
    .meta({ description: 'When the task is due', examples: ['2026-03-10T09:00:00.000Z'] }),
  leadId: id('lead').nullish(),
  opportunityId: id('opportunity').nullish(),
  partnerId: id('partner').nullish(),
  assignedTo: id('user').nullish(),
  teamId: id('team').nullish(),
};
const withId = z.object({ id: id('task') });
const also = [
  { permission: 'leads:read', for: 'leadId' },
  { permission: 'opportunities:read', for: 'opportunityId' },
  { permission: 'partners:read', for: 'partnerId' },
] as const;

export const tasks = operations({
  createTask: {
    method: 'POST',
    path: '/v1/tasks',
    permission: 'tasks:write',
    also,
    narrows: true,
    summary: 'Create a task',
    description:
      '`teamId` defaults to the only team of the assignee; if the assignee is in several, to the only team of the acting user, if the assignee is in it; without an assignee, to the only team of the acting user.',
    body: z.object({
      title: TaskTitle,
      ...fields,
      type: TaskType.default('other'),
      priority: TaskPriority.default('normal'),
      reminders: z
        .array(ReminderInput)
        .max(remindersMax, `Must contain at most ${remindersMax} reminders`)
        .meta({ description: 'The reminders of the task', examples: [[]] })
        .default([]),
      recurrence: RecurrenceInput.nullish().meta({
        description: 'The rule by which further tasks are created; requires `dueAt`',
        examples: [null],
      }),
    }),
    reply: TaskDetail,
    status: 201,
    message: 'Task created',
    emits: [taskCreated],
  },
  listTasks: {
    method: 'GET',
    path: '/v1/tasks',
    permission: 'tasks:read',
    narrows: true,
    summary: 'List tasks',
    description: '`search` covers the title. A task is overdue if it is pending or in progress after its due time.',
    query: listQuery(['createdAt', 'updatedAt', 'dueAt', 'title']).extend({
      status: TaskStatus.optional(),
      type: TaskType.optional(),
      priority: TaskPriority.optional(),
      assignedTo: assigneeFilter().describe('The assignee: the id of a user, or `me` for the caller').optional(),
      teamId: id('team').optional(),
      mine: flag().describe('Return only tasks that are assigned to the caller').optional(),
      leadId: id('lead').optional(),
      opportunityId: id('opportunity').optional(),
      partnerId: id('partner').optional(),
      dueFrom: timestamp().describe('Return only tasks due at this time or later').optional(),
      dueTo: timestamp().describe('Return only tasks due at this time or earlier').optional(),
      completedFrom: timestamp().describe('Return only tasks completed at this time or later').optional(),
      completedTo: timestamp().describe('Return only tasks completed at this time or earlier').optional(),
      open: flag()
        .describe(
          'Return only tasks that are pending or in progress (`true`), or only completed and cancelled ones (`false`)',
        )
        .optional(),
      overdue: flag()
        .describe('Return only overdue tasks (`true`), or only tasks that are not overdue (`false`)')
        .optional(),
      deleted: flag()
        .describe('Return only deleted records (`true`), or only records that are not deleted (`false`, the default)')
        .optional(),
    }),
    reply: page(TaskSummary),
    message: 'Tasks retrieved',
  },
  getTask: {
    method: 'GET',
    path: '/v1/tasks/:id',
    permission: 'tasks:read',
    narrows: true,
    summary: 'Retrieve a task',
    params: withId,
    reply: TaskDetail,
    message: 'Task retrieved',
  },
  updateTask: {
    method: 'PATCH',
    path: '/v1/tasks/:id',
    permission: 'tasks:write',
    also,
    narrows: true,
    summary: 'Update a task',
    description:
      'A new due time moves relative reminders. A new assignee takes the task into their team, unless `teamId` is sent. A new `status` follows the same rules as the operations that change it.',
    params: withId,
    body: z.object({
      title: TaskTitle.optional(),
      ...fields,
      type: TaskType.optional(),
      priority: TaskPriority.optional(),
      status: TaskStatus.optional(),
    }),
    reply: TaskWithNext,
    message: 'Task updated',
    emits: [taskUpdated, taskAssigned, taskCompleted, taskReopened, taskCreated],
    errors: taskErrors,
  },
  deleteTask: {
    method: 'DELETE',
    path: '/v1/tasks/:id',
    permission: 'tasks:delete',
    narrows: true,
    summary: 'Delete a task',
    description:
      'The task can be restored for 30 days. Its reminders are cancelled. A series whose open task is deleted has no further tasks until it is restored; cancel the task instead to go on with the next one.',
    params: withId,
    reply: z.object({ id: id('task'), deleted: z.literal(true).describe('Always true') }),
    message: 'Task deleted',
    emits: [taskDeleted],
  },
  restoreTask: {
    method: 'POST',
    path: '/v1/tasks/:id/restore',
    permission: 'tasks:write',
    narrows: true,
    summary: 'Restore a deleted task',
    params: withId,
    reply: Task,
    message: 'Task restored',
    emits: [taskRestored],
    errors: { not_deleted: sharedErrors.not_deleted },
  },
});
