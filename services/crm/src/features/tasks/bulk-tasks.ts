import { tasks } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import { listedTasks } from './list-tasks.ts';

/** How bulk operations select tasks: by their ids, or by the filters of their list. */
export const ofTasks = {
  type: 'task',
  model: (tx: Tx) => tx.task,
  listed: (filters: Parameters<typeof listedTasks>[0]) => listedTasks(filters),
  readPermission: tasks.listTasks.permission,
} as const;
