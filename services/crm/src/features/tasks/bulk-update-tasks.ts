import { actingUserId } from '@tandem/caller';
import { bulkTasks } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { checkAssignment } from '../../check-assignment.ts';
import type { Peers } from '../../handler.ts';
import { ofTasks } from './bulk-tasks.ts';
import { changeTask } from './change-task.ts';
import { lockTask } from './task.ts';

export const bulkUpdateTasks = (peers: Peers) =>
  bulkOperation({
    ...ofTasks,
    row: bulkTasks.bulkUpdateTasks,
    check: async ({ body, caller }) => ({
      assignee: await checkAssignment(peers, body.change, caller, 'change.'),
      userId: actingUserId(caller) ?? null,
    }),
    change: async ({ tx, emit, schedule, id, body: { change }, found: { assignee, userId } }) =>
      changeTask({ tx, emit, schedule, userId }, await lockTask(tx, id), { change, assignee }),
  });
