import { bulkTasks } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { ofTasks } from './bulk-tasks.ts';
import { removeTask } from './remove-task.ts';
import { lockTask } from './task.ts';

export const bulkDeleteTasks = bulkOperation({
  ...ofTasks,
  row: bulkTasks.bulkDeleteTasks,
  change: async ({ tx, emit, schedule, id }) => removeTask({ tx, emit, schedule }, (await lockTask(tx, id)).id),
});
