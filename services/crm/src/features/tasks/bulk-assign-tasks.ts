import { actingUserId } from '@tandem/caller';
import { bulkTasks } from '@tandem/crm-contract';
import { bulkOperation, checkUser } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { ofTasks } from './bulk-tasks.ts';
import { changeTask } from './change-task.ts';
import { lockTask } from './task.ts';

export const bulkAssignTasks = (peers: Peers) =>
  bulkOperation({
    ...ofTasks,
    row: bulkTasks.bulkAssignTasks,
    check: async ({ body, caller }) => ({
      assignee: await checkUser(peers, 'assignedTo', body.assignedTo, caller),
      userId: actingUserId(caller) ?? null,
    }),
    change: async ({ tx, emit, schedule, id, body: { assignedTo }, found: { assignee, userId } }) =>
      changeTask({ tx, emit, schedule, userId }, await lockTask(tx, id), { change: { assignedTo }, assignee }),
  });
