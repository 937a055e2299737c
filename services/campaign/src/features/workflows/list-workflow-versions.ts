import type { workflows } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { graphColumns } from './enterable.ts';

const versionsMax = 50;

export const listWorkflowVersions: Handler<typeof workflows.listWorkflowVersions> = async ({ params, tx }) => {
  const workflow = await tx.workflow.findFirst({
    where: { id: params.id, deletedAt: null },
    select: { publishedVersion: true },
  });
  if (!workflow) throw fail('not_found');
  const rows = await tx.workflowVersion.findMany({
    where: { workflowId: params.id },
    orderBy: { number: 'desc' },
    take: versionsMax,
  });
  const counts = await tx.sql<{ number: number; executions: number }>`SELECT number, count(*)::int AS executions
    FROM execution WHERE workflow_id = ${params.id} AND status IN ('running', 'waiting') GROUP BY number`;
  const executionsOf = new Map(counts.map(({ number, executions }) => [number, executions]));
  return rows.map((row) => ({
    ...row,
    ...graphColumns.parse(row),
    isCurrent: row.number === workflow.publishedVersion,
    executions: executionsOf.get(row.number) ?? 0,
  }));
};
