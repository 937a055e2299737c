import { event, flag, id, listQuery, name, operations, page, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { oneOf } from './fields.ts';

export const taskTypes = ['call', 'email', 'meeting', 'note', 'other'] as const;
export const taskStatuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;

const Title = name(200);
const TaskType = oneOf(taskTypes);
const TaskStatus = oneOf(taskStatuses);
const Priority = oneOf(taskPriorities);

export const Task = z.object({
  id: id('task'),
  tenantId: id('tenant'),
  title: Title,
  description: text(5000).nullable(),
  type: TaskType,
  priority: Priority,
  status: TaskStatus,
  /** The statuses that this task may move to now. */
  allowedTransitions: z.array(TaskStatus),
  dueAt: timestamp().nullable(),
  /** Whether it is still to be done although its time has passed. */
  overdue: z.boolean(),
  leadId: id('lead').nullable(),
  opportunityId: id('opportunity').nullable(),
  assignedTo: id('user').nullable(),
  teamId: id('team').nullable(),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const exampleId = 'Lc5XgD0vUj47MnTa';

export const taskCreated = event('task.created', {
  group: 'tasks',
  readPermission: 'tasks:read',
  description: 'A new task is assigned',
  action: 'task.create',
  target: 'task',
  data: z.object({ taskId: id('task'), title: Title, assigneeId: id('user').nullable() }),
  record: Task,
  example: { taskId: exampleId, title: 'Call Ada back', assigneeId: 'Tn5uQ2xJd7RfAe9B' },
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
    description: 'Without teamId the task belongs to the team of the acting user, if they are in exactly one.',
    body: z.object({
      title: Title,
      description: text(5000).nullish(),
      dueAt: timestamp().nullish(),
      leadId: id('lead').nullish(),
      opportunityId: id('opportunity').nullish(),
      assignedTo: id('user').nullish(),
      teamId: id('team').nullish(),
      type: TaskType.default('other'),
      priority: Priority.default('normal'),
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
    description:
      '`search` looks into the title. `mine=true` shows those assigned to who asks; a task is overdue when it is pending or in progress after its time.',
    query: listQuery(['createdAt', 'updatedAt', 'dueAt', 'title']).extend({
      status: TaskStatus.optional(),
      type: TaskType.optional(),
      priority: Priority.optional(),
      assignedTo: id('user').optional(),
      teamId: id('team').optional(),
      mine: flag().optional(),
      leadId: id('lead').optional(),
      opportunityId: id('opportunity').optional(),
      dueFrom: timestamp().optional(),
      dueTo: timestamp().optional(),
      overdue: flag().optional(),
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
