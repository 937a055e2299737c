import { actingUserId } from '@tandem/caller';
import { bulkTasks } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { ofTasks } from './bulk-tasks.ts';
import { setStatus } from './set-status.ts';

export const bulkCompleteTasks = bulkOperation({
  ...ofTasks,
  row: bulkTasks.bulkCompleteTasks,
  check: async ({ caller }) => ({ userId: actingUserId(caller) ?? null }),
  change: async ({ tx, emit, schedule, id, body: { outcome, note, force }, found: { userId } }) =>
    setStatus({ tx, emit, schedule, userId }, id, { to: 'completed', outcome, note, force }),
});
