import { event, flag, id, listQuery, name, operations, page, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const taskTypes = ['call', 'email', 'meeting', 'note', 'other'] as const;
export const taskStatuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;

const Title = name(200).meta({ examples: ['Call Ada back'] });
export const TaskType = z.enum(taskTypes).describe('The type of the task');
export const TaskStatus = z.enum(taskStatuses).describe('The status of the task');
export const TaskPriority = z.enum(taskPriorities).describe('The priority of the task');

export const taskStates = stateTable<(typeof taskStatuses)[number]>('Task', {
  created: { pending: 'createTask' },
  changes: { pending: {}, in_progress: {}, completed: {}, cancelled: {} },
});

export const Task = z.object({
  id: id('task'),
  tenantId: id('tenant'),
  title: Title,
  description: text(5000)
    .nullable()
    .meta({ examples: ['Discuss the second machine'] }),
  type: TaskType,
  priority: TaskPriority.meta({ examples: ['normal'] }),
  status: TaskStatus,
  allowedTransitions: z.array(TaskStatus).meta({
    description: 'The statuses that this task can currently change to',
    examples: [[]],
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
  assignedTo: id('user').nullable().describe('The user that the task is assigned to'),
  teamId: id('team').nullable().describe('The team that the task belongs to'),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const exampleId = 'I9Lchl0YhMgLRmeX';

export const taskCreated = event('task.created', {
  group: 'tasks',
  readPermission: 'tasks:read',
  description: 'A new task is assigned',
  action: 'task.create',
  target: 'task',
  data: z.object({ taskId: id('task'), title: Title, assigneeId: id('user').nullable() }),
  record: Task,
  example: { taskId: exampleId, title: 'Call Ada back', assigneeId: 'a3HT7XOrDKJZ9JtB' },
});

export const taskUpdated = event('task.updated', {
  description: 'Task fields are modified',
  action: 'task.update',
  target: 'task',
  data: z.object({ taskId: id('task'), fields: z.array(z.string()) }),
  record: Task,
});

export const taskCompleted = event('task.completed', {
  group: 'tasks',
  readPermission: 'tasks:read',
  description: 'A task is marked complete',
  action: 'task.complete',
  target: 'task',
  data: z.object({ taskId: id('task') }),
  record: Task,
  example: { taskId: exampleId },
});

export const tasks = operations({
  createTask: {
    method: 'POST',
    path: '/v1/tasks',
    permission: 'tasks:write',
    also: [
      { permission: 'leads:read', for: 'leadId' },
      { permission: 'opportunities:read', for: 'opportunityId' },
    ],
    narrows: true,
    summary: 'Create a task',
    description:
      '`teamId` defaults to the only team of the assignee; if the assignee is in several, to the only team of the acting user, if the assignee is in it; without an assignee, to the only team of the acting user.',
    body: z.object({
      title: Title,
      description: text(5000).nullish(),
      dueAt: timestamp().nullish(),
      leadId: id('lead').nullish(),
      opportunityId: id('opportunity').nullish(),
      assignedTo: id('user').nullish(),
      teamId: id('team').nullish(),
      type: TaskType.default('other'),
      priority: TaskPriority.default('normal'),
    }),
    reply: Task,
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
      assignedTo: id('user').optional(),
      teamId: id('team').optional(),
      mine: flag().describe('Return only tasks that are assigned to the caller').optional(),
      leadId: id('lead').optional(),
      opportunityId: id('opportunity').optional(),
      dueFrom: timestamp().describe('Return only tasks due at this time or later').optional(),
      dueTo: timestamp().describe('Return only tasks due at this time or earlier').optional(),
      overdue: flag()
        .describe('Return only overdue tasks (`true`), or only tasks that are not overdue (`false`)')
        .optional(),
    }),
    reply: page(Task),
    message: 'Tasks retrieved',
  },
  getTask: {
    method: 'GET',
    path: '/v1/tasks/:id',
    permission: 'tasks:read',
    narrows: true,
    summary: 'Retrieve a task',
    params: z.object({ id: id('task') }),
    reply: Task,
    message: 'Task retrieved',
  },
});
