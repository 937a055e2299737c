import { Execution, executionStates } from '@tandem/agents-contract';
import { id } from '@tandem/contract';
import { storedObject } from '@tandem/service';
import { z } from 'zod';
import type { Execution as ExecutionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type ExecutionRecord = z.output<typeof Execution>;
export type Step = ExecutionRecord['steps'][number];

/** Statuses of an execution that has not ended. */
export const liveStatuses = ['queued', 'running', 'awaiting_approval'];
/** Statuses in which an execution still has to be run by its job. */
export const workingStatuses = ['queued', 'running'];

// The job calls other services within this tenant.
const payload = z.object({ executionId: id('execution'), tenantId: z.int(), environment: z.enum(['live', 'sandbox']) });

/** Jobs that run executions, by kind of work. */
export const executionJobs = {
  call: { name: 'run-execution', payload },
  recommend: { name: 'run-recommendation', payload },
  // Alone, so that an action that has to be repeated repeats nothing else.
  act: { name: 'perform-approved', payload },
};

/** Kind of work of this kind of agent. */
export function workOf(kind: string): 'call' | 'recommend' {
  return kind === 'caller' ? 'call' : 'recommend';
}

const columns = Execution.pick({
  kind: true,
  trigger: true,
  status: true,
  steps: true,
  error: true,
  source: true,
  usage: true,
}).extend({
  input: storedObject.nullable(),
  output: storedObject.nullable(),
});

/** Converts a row to the contract's `Execution`. */
export function asExecution(row: ExecutionRow): ExecutionRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: executionStates.next(checked.status) };
}

/**
 * Locks executions in the order of their ids. Every transaction that changes several of them, or one and its approval, does this
 * first, so that two of them wait for each other instead of ending in a deadlock.
 * @returns the ids of those that have one of the statuses
 */
export async function lockExecutions(tx: Tx, ids: readonly number[], statuses: readonly string[]): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`SELECT id FROM execution
    WHERE id = ANY(${ids}::bigint[]) AND status = ANY(${statuses}::text[]) ORDER BY id FOR UPDATE`;
  return rows.map(({ id }) => id);
}
