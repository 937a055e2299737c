import type { agentRows } from '@tandem/agents-contract';
import { failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import type { AgentStatus } from './agent.ts';

interface Counts {
  caller: AgentStatus;
  recommender: AgentStatus;
  executions: number;
  calls: number;
  answered: number;
  recommendations: number;
  accepted: number;
  pending: number;
}

const rangeMs = 30 * 86_400_000;

export const getAgentDashboard: Handler<typeof agentRows.getAgentDashboard> = async ({ query, tx }) => {
  const to = query.dateTo ?? new Date();
  const from = query.dateFrom ?? new Date(to.getTime() - rangeMs);
  if (from > to) throw failField('dateFrom', 'Must not be after dateTo');
  const [counts] = await tx.sql<Counts>`
    SELECT agent.*, execution.*, recommendation.*,
      (SELECT count(*)::int FROM approval WHERE status = 'pending') AS pending FROM (
      SELECT max(status) FILTER (WHERE kind = 'caller') AS caller,
        max(status) FILTER (WHERE kind = 'recommender') AS recommender FROM agent) AS agent
    CROSS JOIN (
      SELECT count(*)::int AS executions,
        (count(*) FILTER (WHERE kind = 'caller' AND status IN ('succeeded', 'failed')))::int AS calls,
        (count(*) FILTER (WHERE kind = 'caller' AND status = 'succeeded'))::int AS answered
      FROM execution WHERE created_at BETWEEN ${from} AND ${to}) AS execution
    CROSS JOIN (
      SELECT count(*)::int AS recommendations, (count(*) FILTER (WHERE status = 'accepted'))::int AS accepted
      FROM recommendation WHERE created_at BETWEEN ${from} AND ${to}) AS recommendation`;
  const { caller, recommender, executions, calls, answered, recommendations, accepted, pending } = counts as Counts;
  return {
    agents: {
      caller: { status: caller, totalCalls: calls, successRate: rate(answered, calls) },
      recommender: {
        status: recommender,
        totalRecommendations: recommendations,
        acceptRate: rate(accepted, recommendations),
      },
    },
    recentExecutions: executions,
    // Pending approvals need a decision now, whatever the range of the dashboard.
    pendingApprovals: pending,
  };
};

function rate(part: number, whole: number): number {
  return whole ? part / whole : 0;
}
