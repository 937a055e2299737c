import { type BulkRun, bulkRunCompleted, executionStatuses, leadErrors } from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import { fail, reachOf } from '@tandem/service';
import type { z } from 'zod';
import type { BulkRun as BulkRunRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { liveStatuses } from '../executions/execution.ts';

export type BulkRunRecord = z.output<typeof BulkRun>;

/** Finds a run whose counts the caller may see: they include leads that a narrowed caller may not read, except in an own run. */
export async function findRun(tx: Tx, caller: Caller, id: number): Promise<BulkRunRow> {
  const run = await tx.bulkRun.findFirst({ where: { id } });
  const isReadable = reachOf(caller, 'leads:read') === 'all' || run?.createdBy === actingUserId(caller);
  if (!run || !isReadable) throw fail('not_found');
  return run;
}

/** The executions of a run that have one status. */
interface Counted {
  run: number;
  status: string;
  executions: number;
  finishedAt: Date | null;
  promptTokens: number | null;
  completionTokens: number | null;
  cost: number | null;
}

/** The leads of a run that were rejected for one reason. */
interface Rejected {
  run: number;
  code: keyof typeof leadErrors;
  leads: number;
}

/** Converts rows to the contract's `BulkRun`, with the counts of their executions and rejected leads. */
export async function asBulkRuns(tx: Tx, runs: readonly BulkRunRow[]): Promise<BulkRunRecord[]> {
  const ids = runs.map(({ id }) => id);
  const rejected = await tx.sql<Rejected>`
    SELECT bulk_run_id AS run, code, count(*)::int AS leads FROM bulk_run_rejection
    WHERE bulk_run_id = ANY(${ids}::bigint[]) GROUP BY 1, 2 ORDER BY 1, 2`;
  const rows = await tx.sql<Counted>`
    SELECT bulk_run_id AS run, status, count(*)::int AS executions, max(finished_at) AS "finishedAt",
      sum((usage->>'promptTokens')::float) AS "promptTokens",
      sum((usage->>'completionTokens')::float) AS "completionTokens", sum((usage->>'cost')::float) AS cost
    FROM execution
    WHERE bulk_run_id = ANY(${ids}::bigint[]) GROUP BY 1, 2`;
  return runs.map((run) => {
    const own = rows.filter((row) => row.run === run.id);
    const of = (status: string) => own.find((row) => row.status === status)?.executions ?? 0;
    const counts = Object.fromEntries(
      executionStatuses.map((status) => [status, of(status)]),
    ) as BulkRunRecord['counts'];
    const status = statusOf(run, counts);
    // Runs that ended in an earlier release have no time of their own.
    const finished = own.flatMap(({ finishedAt }) => finishedAt?.getTime() ?? []);
    const endedAt = finished.length ? new Date(Math.max(...finished)) : null;
    return {
      ...run,
      rejections: rejected
        .filter((one) => one.run === run.id)
        .map(({ code, leads }) => ({ code, message: leadErrors[code], leads })),
      counts,
      status,
      usage: usageOf(own),
      completedAt: status === 'running' ? null : (run.completedAt ?? endedAt),
    };
  });
}

/** The use of models by the executions of a run. A cost that is not known is left out. */
function usageOf(rows: readonly Counted[]): BulkRunRecord['usage'] {
  const asked = rows.filter(({ promptTokens }) => promptTokens !== null);
  if (!asked.length) return null;
  const sum = (field: 'promptTokens' | 'completionTokens') => asked.reduce((all, row) => all + (row[field] ?? 0), 0);
  const costs = asked.flatMap(({ cost }) => cost ?? []);
  const cost = costs.length ? costs.reduce((all, one) => all + one, 0) : null;
  return { promptTokens: sum('promptTokens'), completionTokens: sum('completionTokens'), cost };
}

function statusOf({ rejected, cancelledAt }: BulkRunRow, counts: BulkRunRecord['counts']): BulkRunRecord['status'] {
  const isOver = liveStatuses.every((status) => !counts[status as keyof typeof counts]);
  if (!isOver) return 'running';
  if (cancelledAt) return 'cancelled';
  return rejected > 0 || counts.failed > 0 || counts.timed_out > 0 ? 'completed_with_errors' : 'completed';
}

/**
 * Announces the end of runs whose last execution has ended in this transaction. The lock lets transactions that end the last
 * executions of a run at once wait for each other, so that the second one sees that nothing is left.
 * @param runIds runs of executions that ended; null for an execution without one
 */
export async function completeRuns(
  { tx, emit }: { tx: Tx; emit: Emit<typeof bulkRunCompleted> },
  runIds: readonly (number | null)[],
): Promise<void> {
  const ids = [...new Set(runIds.filter((id) => id !== null))];
  if (!ids.length) return;
  await tx.sql`SELECT id FROM bulk_run WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`;
  const ended = await tx.sql<{ id: number }>`UPDATE bulk_run SET completed_at = now()
    WHERE id = ANY(${ids}::bigint[]) AND completed_at IS NULL AND NOT EXISTS (SELECT FROM execution
      WHERE bulk_run_id = bulk_run.id AND status = ANY(${liveStatuses}::text[])) RETURNING id`;
  if (!ended.length) return;
  const rows = await tx.bulkRun.findMany({ where: { id: { in: ended.map(({ id }) => id) } } });
  for (const record of await asBulkRuns(tx, rows)) {
    const { id: bulkRunId, agentId, status } = record;
    emit(bulkRunCompleted, { data: { bulkRunId, agentId, status }, record });
  }
}
