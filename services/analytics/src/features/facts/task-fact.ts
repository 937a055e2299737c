import {
  type Task,
  taskAssigned,
  taskCompleted,
  taskCreated,
  taskDeleted,
  taskEscalated,
  taskReopened,
  taskRestored,
  taskUpdated,
} from '@tandem/crm-contract';
import { fragment } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Count } from '../counting/index.ts';
import type { FactKind } from './fact.ts';

export interface TaskFact {
  status: string | null;
  userId: number | null;
  teamId: number | null;
  dueAt: Date | null;
  completedAt: Date | null;
  createdAt: Date | null;
}

/** The statuses of tasks that somebody has to do. */
export const openTaskStatuses = ['pending', 'in_progress'] as const;

export const taskFacts: FactKind<TaskFact> = {
  type: 'task',
  table: fragment`task_fact`,
  assign: fragment`status = given.status, user_id = given.user_id, team_id = given.team_id, due_at = given.due_at,
    completed_at = given.completed_at, created_at = given.created_at`,
  events: [
    ...[taskCreated, taskUpdated, taskAssigned, taskEscalated, taskCompleted, taskReopened, taskDeleted, taskRestored],
  ],
  deleted: taskDeleted,
  read({ status, assignedTo, teamId, dueAt, completedAt, createdAt }: z.output<typeof Task>) {
    return { status, userId: assignedTo, teamId, dueAt, completedAt, createdAt };
  },
  counts({ status, userId, teamId, dueAt, completedAt }, { dayOf }) {
    const one = { userId, teamId, count: 1 };
    if (openTaskStatuses.some((open) => open === status)) {
      const counts: Count[] = [{ ...one, name: 'tasks.open' }];
      return dueAt ? [...counts, { ...one, name: 'tasks.due', day: dayOf(dueAt) }] : counts;
    }
    if (status !== 'completed' || !completedAt) return [];
    return [{ ...one, name: 'tasks.completed', day: dayOf(completedAt) }];
  },
  find: (tx, ids) => tx.taskFact.findMany({ where: { id: { in: ids } } }),
};
