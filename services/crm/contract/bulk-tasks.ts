import { BulkReply, bulkErrors, bulkSelection, id, operations } from '@tandem/contract';
import { z } from 'zod';
import { taskAssigned, taskCompleted, taskCreated, taskDeleted, taskReopened, taskUpdated } from './task.ts';
import { completion, taskErrors } from './task-work.ts';
import { tasks } from './tasks.ts';

// A job has no caller to whom `me` and `mine` refer; the id of the user selects the same tasks.
const selection = bulkSelection(
  tasks.listTasks.query.omit({ mine: true }).extend({ assignedTo: id('user').optional() }),
);
// A response to a filter reveals how many tasks match it.
const also = [{ permission: tasks.listTasks.permission, for: 'filter' }] as const;
const exampleIds = ['I9Lchl0YhMgLRmeX', '5KAlh9Hk9DKHf5cM'];
const inBackground =
  'With `ids`, the tasks are changed at once and the response has one result per id; a task that cannot be changed does not stop the others. With `filter` and `expectedCount`, the response is 202: the tasks that match now are changed by a background job. GET /v1/jobs/:id returns its progress, and GET /v1/jobs/:id/errors the tasks that could not be changed.';

/** The fields that many tasks can share. */
const change = tasks.updateTask.body.pick({
  dueAt: true,
  type: true,
  priority: true,
  status: true,
  assignedTo: true,
  teamId: true,
});

// A request changes up to 250 tasks, in one transaction.
const common = {
  method: 'POST',
  permission: 'tasks:write',
  narrows: true,
  also,
  timeoutMs: 30_000,
  reply: BulkReply,
} as const;

export const bulkTasks = operations({
  bulkUpdateTasks: {
    ...common,
    path: '/v1/tasks:bulk-update',
    summary: 'Update many tasks',
    description: `Makes the same change to many tasks, each as PATCH /v1/tasks/:id does, with an event and an entry in the audit log each. ${inBackground}`,
    body: z
      .object({ ...selection, change: change.describe('The fields to change, with their new values') })
      .meta({ examples: [{ ids: exampleIds, change: { priority: 'high' } }] }),
    message: 'Tasks updated',
    emits: [taskUpdated, taskAssigned, taskCompleted, taskReopened, taskCreated],
    errors: { ...taskErrors, ...bulkErrors },
  },
  bulkAssignTasks: {
    ...common,
    path: '/v1/tasks:bulk-assign',
    summary: 'Assign many tasks',
    description: `Assigns many tasks to one user, or to nobody. The tasks follow the user into their team. ${inBackground}`,
    body: z
      .object({
        ...selection,
        assignedTo: id('user').nullable().describe('The user to assign the tasks to; null for nobody'),
      })
      .meta({ examples: [{ ids: exampleIds, assignedTo: null }] }),
    message: 'Tasks assigned',
    emits: [taskUpdated, taskAssigned],
    errors: bulkErrors,
  },
  bulkCompleteTasks: {
    ...common,
    path: '/v1/tasks:bulk-complete',
    summary: 'Complete many tasks',
    description: `Completes many tasks, each as POST /v1/tasks/:id/complete does. ${inBackground}`,
    body: z.object({ ...selection, ...completion }).meta({ examples: [{ ids: exampleIds, outcome: 'Done' }] }),
    message: 'Tasks completed',
    emits: [taskCompleted, taskCreated],
    errors: { ...taskErrors, ...bulkErrors },
  },
  bulkDeleteTasks: {
    ...common,
    path: '/v1/tasks:bulk-delete',
    permission: 'tasks:delete',
    summary: 'Delete many tasks',
    description: `Deletes many tasks. You can restore each of them for 30 days. ${inBackground}`,
    body: z.object(selection).meta({ examples: [{ filter: { status: 'cancelled' }, expectedCount: 2 }] }),
    message: 'Tasks deleted',
    emits: [taskDeleted],
    errors: bulkErrors,
  },
});
