import { id, name, operations, sharedErrors, text } from '@tandem/contract';
import { z } from 'zod';
import { nextTaskId } from './recurrence.ts';
import { Task, taskAssigned, taskCompleted, taskCreated, taskReopened, taskUpdated } from './task.ts';

const withId = z.object({ id: id('task') });
const write = { method: 'POST', permission: 'tasks:write', narrows: true, params: withId, reply: Task } as const;
/** A task with the next one of its series, which the end of the task creates. */
export const TaskWithNext = Task.extend({ nextTaskId: nextTaskId() });
const reason = text(500)
  .nullish()
  .meta({ description: 'The reason for the change', examples: ['The customer has called themselves'] });

export const taskErrors = {
  transition_refused: sharedErrors.transition_refused,
  open_subtasks: [409, 'The task has open subtasks; complete them, or send force'],
} as const;

/** The fields of a request that completes tasks: their outcome, a note, and `force`. */
export const completion = {
  outcome: name(100)
    .nullish()
    .meta({ description: 'The result of the task', examples: ['Reached'] }),
  note: text(5000)
    .nullish()
    .meta({ description: 'A note on the result', examples: ['Wants an offer until Friday'] }),
  force: z.boolean().describe('Whether to complete a task with open subtasks; they stay open').default(false),
};

/** The changes of a task's status and assignee. */
export const taskWork = operations({
  startTask: {
    ...write,
    path: '/v1/tasks/:id/start',
    summary: 'Start a task',
    message: 'Task started',
    emits: [taskUpdated],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  completeTask: {
    ...write,
    path: '/v1/tasks/:id/complete',
    summary: 'Complete a task',
    description: 'Cancels its reminders. If the task recurs, the next task of its series is created.',
    body: z.object(completion),
    reply: TaskWithNext,
    message: 'Task completed',
    emits: [taskCompleted, taskCreated],
    errors: taskErrors,
  },
  reopenTask: {
    ...write,
    path: '/v1/tasks/:id/reopen',
    summary: 'Set a task back to pending',
    description:
      'For a task that is in progress, completed or cancelled. Relative reminders that are still ahead are scheduled again.',
    body: z.object({ reason }),
    message: 'Task reopened',
    emits: [taskReopened],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  cancelTask: {
    ...write,
    path: '/v1/tasks/:id/cancel',
    summary: 'Cancel a task',
    description: 'Cancels its reminders. If the task recurs, the next task of its series is created.',
    body: z.object({ reason }),
    reply: TaskWithNext,
    message: 'Task cancelled',
    emits: [taskUpdated, taskCreated],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  assignTask: {
    ...write,
    path: '/v1/tasks/:id/assign',
    summary: 'Assign a task',
    description: 'The task follows the user into their team.',
    body: z.object({
      assignedTo: id('user').nullable().describe('The user to assign the task to; null for nobody'),
      note: text(500)
        .nullish()
        .meta({ description: 'A note for the audit log', examples: ['You know the customer'] }),
    }),
    message: 'Task assigned',
    emits: [taskUpdated, taskAssigned],
  },
});
