import { executionStatuses, type executions } from '@tandem/agents-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { liveStatuses } from './execution.ts';

export const getBulkRun: Handler<typeof executions.getBulkRun> = async ({ params, tx }) => {
  const run = await tx.bulkRun.findFirst({ where: { id: params.id } });
  if (!run) throw fail('not_found');
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
