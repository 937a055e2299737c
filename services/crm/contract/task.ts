import { event, id, name, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const taskTypes = ['call', 'email', 'meeting', 'note', 'other'] as const;
export const taskStatuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;

export const TaskTitle = name(200).meta({ examples: ['Call Ada back'] });
export const TaskType = z.enum(taskTypes).describe('The type of the task');
export const TaskStatus = z.enum(taskStatuses).describe('The status of the task');
export const TaskPriority = z.enum(taskPriorities).describe('The priority of the task');

/** The highest level to which a task can be escalated. */
export const escalationLevelMax = 5;

export const taskStates = stateTable<(typeof taskStatuses)[number]>('Task', {
  created: { pending: 'createTask' },
  changes: {
    pending: { in_progress: 'startTask', completed: 'completeTask', cancelled: 'cancelTask' },
    in_progress: { pending: 'reopenTask', completed: 'completeTask', cancelled: 'cancelTask' },
    completed: { pending: 'reopenTask' },
    cancelled: { pending: 'reopenTask' },
  },
});

export const Task = z.object({
  id: id('task'),
  tenantId: id('tenant'),
  title: TaskTitle,
  description: text(5000)
    .nullable()
    .meta({ examples: ['Discuss the second machine'] }),
  type: TaskType,
  priority: TaskPriority.meta({ examples: ['normal'] }),
  status: TaskStatus,
  allowedTransitions: z.array(TaskStatus).meta({
    description: 'The statuses that this task can currently change to',
    examples: [['in_progress', 'completed', 'cancelled']],
  }),
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the task is due', examples: ['2026-03-10T09:00:00.000Z'] }),
  overdue: z.boolean().meta({
    description: 'Whether the task is past its due time and neither completed nor cancelled',
    examples: [false],
  }),
  leadId: id('lead').nullable().describe('The lead that the task is about'),
  opportunityId: id('opportunity').nullable().describe('The opportunity that the task is about'),
  partnerId: id('partner')
    .nullable()
    .meta({ description: 'The partner that the task is about', examples: [null] }),
  assignedTo: id('user').nullable().describe('The user that the task is assigned to'),
  teamId: id('team').nullable().describe('The team that the task belongs to'),
  escalationLevel: z.int().meta({
    description: `How often the task was escalated, from 0 to ${escalationLevelMax}`,
    examples: [0],
  }),
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the task was completed', examples: [null] }),
  completedBy: id('user')
    .nullable()
    .meta({ description: 'The user who completed the task', examples: [null] }),
  outcome: name(100)
    .nullable()
    .meta({ description: 'The result of the task, recorded when it was completed', examples: [null] }),
  outcomeNote: text(5000)
    .nullable()
    .meta({ description: 'A note on the result, recorded when the task was completed', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const exampleId = 'I9Lchl0YhMgLRmeX';
// Events of the release without escalations lack the level.
const whenMissing = { record: { escalationLevel: 0 } };
const Reason = text(500).nullable().describe('The reason that the request gave');

export const taskCreated = event('task.created', {
  group: 'tasks',
  readPermission: 'tasks:read',
  description: 'A new task is assigned',
  action: 'task.create',
  target: 'task',
  data: z.object({ taskId: id('task'), title: TaskTitle, assigneeId: id('user').nullable() }),
  record: Task,
  whenMissing,
  example: { taskId: exampleId, title: 'Call Ada back', assigneeId: 'a3HT7XOrDKJZ9JtB' },
});

export const taskUpdated = event('task.updated', {
  description: 'Task fields are modified',
  action: 'task.update',
  target: 'task',
  data: z.object({ taskId: id('task'), fields: z.array(z.string()), reason: Reason.optional() }),
  record: Task,
  whenMissing,
});

export const taskCompleted = event('task.completed', {
  group: 'tasks',
  readPermission: 'tasks:read',
  description: 'A task is marked complete',
  action: 'task.complete',
  target: 'task',
  data: z.object({ taskId: id('task') }),
  record: Task,
  whenMissing,
  example: { taskId: exampleId },
});

export const taskReopened = event('task.reopened', {
  description: 'A task is set back to pending',
  action: 'task.reopen',
  target: 'task',
  data: z.object({ taskId: id('task'), from: TaskStatus, reason: Reason }),
  record: Task,
});

export const taskAssigned = event('task.assigned', {
  description: 'A task is assigned to another user, or to nobody',
  action: 'task.assign',
  target: 'task',
  data: z.object({
    taskId: id('task'),
    from: id('user').nullable(),
    to: id('user').nullable(),
    note: text(500).nullable().describe('The note that the request gave'),
  }),
  record: Task,
});

export const taskDeleted = event('task.deleted', {
  description: 'A task is removed',
  action: 'task.delete',
  target: 'task',
  data: z.object({ taskId: id('task') }),
  record: Task,
});

export const taskRestored = event('task.restored', {
  description: 'A deleted task is restored',
  action: 'task.restore',
  target: 'task',
  data: z.object({ taskId: id('task') }),
  record: Task,
});
