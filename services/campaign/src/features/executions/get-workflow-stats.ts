import { type executions, workflowExecutionStatuses } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { checkWorkflow } from '../workflows/workflow.ts';

interface NodeFigures {
  nodeId: string;
  waiting: number;
  sent: number;
  skipped: number;
  failed: number;
  uncertain: number;
  opened: number;
  clicked: number;
  replied: number;
  bounced: number;
  unsubscribed: number;
}

export const getWorkflowStats: Handler<typeof executions.getWorkflowStats> = async ({ params, tx }) => {
  await checkWorkflow(tx, params.id);
  const counts = await tx.sql<{ status: string; count: number }>`SELECT status, count(*)::int AS count
    FROM execution WHERE workflow_id = ${params.id} GROUP BY status`;
  const nodes = await tx.sql<NodeFigures>`
    SELECT coalesce(message."nodeId", place."nodeId") AS "nodeId", coalesce(place.waiting, 0) AS waiting,
      coalesce(sent, 0) AS sent, coalesce(skipped, 0) AS skipped, coalesce(failed, 0) AS failed,
      coalesce(uncertain, 0) AS uncertain, coalesce(opened, 0) AS opened, coalesce(clicked, 0) AS clicked,
      coalesce(replied, 0) AS replied, coalesce(bounced, 0) AS bounced, coalesce(unsubscribed, 0) AS unsubscribed
    FROM (SELECT node_id AS "nodeId", count(*) FILTER (WHERE sent_at IS NOT NULL)::int AS sent,
        count(*) FILTER (WHERE status = 'skipped')::int AS skipped, count(*) FILTER (WHERE status = 'failed')::int AS failed,
        count(*) FILTER (WHERE uncertain)::int AS uncertain, count(opened_at)::int AS opened,
        count(clicked_at)::int AS clicked, count(replied_at)::int AS replied, count(bounced_at)::int AS bounced,
        count(unsubscribed_at)::int AS unsubscribed
      FROM message WHERE workflow_id = ${params.id} GROUP BY node_id) AS message
    FULL JOIN (SELECT node_id AS "nodeId", count(*)::int AS waiting FROM execution
      WHERE workflow_id = ${params.id} AND status IN ('running', 'waiting') GROUP BY node_id) AS place
      ON place."nodeId" = message."nodeId"
    ORDER BY 1`;
  const byStatus = new Map(counts.map(({ status, count }) => [status, count]));
  return {
    executions: Object.fromEntries(workflowExecutionStatuses.map((status) => [status, byStatus.get(status) ?? 0])),
    nodes,
  };
};
