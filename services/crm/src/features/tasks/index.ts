import type { internalTaskCounts, tasks } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { countDueTasks } from './count-due-tasks.ts';
import { createTask } from './create-task.ts';
import { getTask } from './get-task.ts';
import { listTasks } from './list-tasks.ts';

export const taskHandlers = (peers: Peers) =>
  ({ createTask: createTask(peers), listTasks, getTask, countDueTasks }) satisfies Handlers<
    typeof tasks & typeof internalTaskCounts,
    Tx
  >;
