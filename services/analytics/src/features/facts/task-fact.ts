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
  counted: {
    dated: fragment`SELECT 'tasks.completed' AS name, completed_at AS at, '' AS value, 0::numeric AS amount, NULL::bigint AS lead_id,
        user_id, team_id FROM task_fact WHERE NOT is_deleted AND version >= 0 AND status = 'completed'
      UNION ALL SELECT 'tasks.due', due_at, '', 0, NULL, user_id, team_id
        FROM task_fact WHERE NOT is_deleted AND version >= 0 AND status IN ('pending', 'in_progress')`,
    present: fragment`SELECT 'tasks.open' AS name, NULL::timestamptz AS at, '' AS value, 0::numeric AS amount, NULL::bigint AS lead_id,
        user_id, team_id FROM task_fact WHERE NOT is_deleted AND version >= 0 AND status IN ('pending', 'in_progress')`,
  },
  find: (tx, ids) => tx.taskFact.findMany({ where: { id: { in: ids } } }),
};
