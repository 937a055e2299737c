import { executionStatuses, type executions } from '@tandem/agents-contract';
import { actingUserId } from '@tandem/caller';
import { fail, reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { liveStatuses } from './execution.ts';

export const getBulkRun: Handler<typeof executions.getBulkRun> = async ({ params, caller, tx }) => {
  const run = await tx.bulkRun.findFirst({ where: { id: params.id } });
  // The counts include leads that a narrowed caller may not read, except in a run of their own.
  const isReadable = reachOf(caller, 'leads:read') === 'all' || run?.createdBy === actingUserId(caller);
  if (!run || !isReadable) throw fail('not_found');
  const rows = await tx.sql<{ status: string; executions: number }>`
    SELECT status, count(*)::int AS executions FROM execution WHERE bulk_run_id = ${run.id} GROUP BY status`;
  const of = (status: string) => rows.find((row) => row.status === status)?.executions ?? 0;
  const counts = Object.fromEntries(executionStatuses.map((status) => [status, of(status)])) as Record<
    (typeof executionStatuses)[number],
    number
  >;
  const isOver = liveStatuses.every((status) => !of(status));
  const withErrors = run.rejected > 0 || counts.failed > 0;
  return { ...run, counts, status: isOver ? (withErrors ? 'completed_with_errors' : 'completed') : 'running' };
};
