import { id, listQuery, name, operations, page, sharedErrors, stateTable, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { taskUpdated } from './task.ts';

export const subtaskStatuses = ['pending', 'completed'] as const;
export const SubtaskStatus = z.enum(subtaskStatuses).describe('The status of the subtask');

/** The highest number of subtasks of a task. */
export const subtasksMax = 100;
/** The highest order of a subtask; further ones at the end share it. */
export const subtaskOrderMax = 10_000;

export const subtaskStates = stateTable<(typeof subtaskStatuses)[number]>('Subtask', {
  created: { pending: 'createSubtask' },
  changes: { pending: { completed: 'completeSubtask' }, completed: { pending: 'reopenSubtask' } },
});

const SubtaskTitle = name(200).meta({ examples: ['Look up the last offer'] });
const Order = z
  .int('Must be a whole number')
  .min(0, 'Must be at least 0')
  .max(subtaskOrderMax, `Must be at most ${subtaskOrderMax}`)
  .meta({ description: 'The position among the subtasks; the lowest is first', examples: [1] });

export const Subtask = z.object({
  id: id('subtask'),
  tenantId: id('tenant'),
  taskId: id('task').describe('The task that the subtask belongs to'),
  title: SubtaskTitle,
  status: SubtaskStatus,
  allowedTransitions: z.array(SubtaskStatus).meta({
    description: 'The statuses that this subtask can currently change to',
    examples: [['completed']],
  }),
  assignedTo: id('user').nullable().describe('The user that the subtask is assigned to'),
  dueAt: timestamp()
    .nullable()
    .meta({ description: 'When the subtask is due', examples: ['2026-03-09T09:00:00.000Z'] }),
  order: Order,
  completedAt: timestamp()
    .nullable()
    .meta({ description: 'When the subtask was completed', examples: [null] }),
  completedBy: id('user')
    .nullable()
    .meta({ description: 'The user who completed the subtask', examples: [null] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

const ofTask = z.object({ id: id('task') });
const withId = z.object({ id: id('task'), subtaskId: id('subtask') });
const fields = { assignedTo: id('user').nullish(), dueAt: timestamp().nullish(), order: Order.optional() };
const task_closed = [409, 'The task is completed or cancelled; reopen it first'] as const;
const transition_refused = sharedErrors.transition_refused;
const write = { permission: 'tasks:write', narrows: true, emits: [taskUpdated] } as const;

export const subtasks = operations({
  createSubtask: {
    ...write,
    method: 'POST',
    path: '/v1/tasks/:id/subtasks',
    summary: 'Add a subtask to a task',
    description: 'Without `order`, the subtask is added at the end. Subtasks have one level.',
    params: ofTask,
    body: z.object({
      title: SubtaskTitle,
      ...fields,
      parentSubtaskId: id('subtask')
        .nullish()
        .describe('Must be omitted: a subtask cannot have subtasks. Any subtask is refused'),
    }),
    reply: Subtask,
    status: 201,
    message: 'Subtask created',
    errors: {
      task_closed,
      too_many_subtasks: [409, `A task can have at most ${subtasksMax} subtasks; create another task`],
    },
  },
  listSubtasks: {
    method: 'GET',
    path: '/v1/tasks/:id/subtasks',
    permission: 'tasks:read',
    narrows: true,
    summary: 'List the subtasks of a task',
    description: 'Sorted by `order` unless `sort` is set.',
    params: ofTask,
    query: listQuery(['order', 'createdAt'], 'order').omit({ search: true }),
    reply: page(Subtask),
    message: 'Subtasks retrieved',
  },
  getSubtask: {
    method: 'GET',
    path: '/v1/tasks/:id/subtasks/:subtaskId',
    permission: 'tasks:read',
    narrows: true,
    summary: 'Retrieve a subtask',
    params: withId,
    reply: Subtask,
    message: 'Subtask retrieved',
  },
  updateSubtask: {
    ...write,
    method: 'PATCH',
    path: '/v1/tasks/:id/subtasks/:subtaskId',
    summary: 'Update a subtask',
    params: withId,
    body: z.object({ title: SubtaskTitle.optional(), ...fields, status: SubtaskStatus.optional() }),
    reply: Subtask,
    message: 'Subtask updated',
    errors: { task_closed, transition_refused },
  },
  deleteSubtask: {
    ...write,
    method: 'DELETE',
    path: '/v1/tasks/:id/subtasks/:subtaskId',
    summary: 'Delete a subtask',
    params: withId,
    reply: z.object({ id: id('subtask'), deleted: z.literal(true).describe('Always true') }),
    message: 'Subtask deleted',
    errors: { task_closed },
  },
  completeSubtask: {
    ...write,
    method: 'POST',
    path: '/v1/tasks/:id/subtasks/:subtaskId/complete',
    summary: 'Complete a subtask',
    params: withId,
    reply: Subtask,
    message: 'Subtask completed',
    errors: { task_closed, transition_refused },
  },
  reopenSubtask: {
    ...write,
    method: 'POST',
    path: '/v1/tasks/:id/subtasks/:subtaskId/reopen',
    summary: 'Reopen a subtask',
    params: withId,
    reply: Subtask,
    message: 'Subtask reopened',
    errors: { task_closed, transition_refused },
  },
});
