import { type agentRows, agentStatuses } from '@tandem/agents-contract';
import { failField } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import { nextMidnight, startOfDay } from '@tandem/time-zones';
import type { Handler, Tools } from '../../handler.ts';
import { readableLeadsOf } from '../../lead-reach.ts';
import { timezoneOf } from '../../tenant-timezone.ts';
import type { AgentStatus } from './agent.ts';

interface Counts {
  /** The best status of the agents of a kind, by its position; null without any. */
  caller: number | null;
  recommender: number | null;
  executions: number;
  calls: number;
  answered: number;
  recommendations: number;
  accepted: number;
  pending: number;
}

const rangeMs = 30 * 86_400_000;

interface Found {
  from: Date;
  to: Date;
  /** The leads to which the counts of each table are limited, as in its list; undefined when they are not limited. */
  executed: number[] | undefined;
  recommended: number[] | undefined;
  awaiting: number[] | undefined;
}

export const getAgentDashboard = (tools: Tools): Handler<typeof agentRows.getAgentDashboard, Found> => ({
  async check({ query: { dateFrom, dateTo }, caller, tx }) {
    const hasDay = typeof dateFrom === 'string' || typeof dateTo === 'string';
    const timezone = hasDay ? await timezoneOf(tools, caller) : 'UTC';
    const to = typeof dateTo === 'string' ? endOfDay(dateTo, timezone) : (dateTo ?? new Date());
    const start = typeof dateFrom === 'string' ? startOfDay(dateFrom, timezone) : dateFrom;
    const from = start ?? new Date(to.getTime() - rangeMs);
    if (from > to) throw failField('dateFrom', 'Must not be after dateTo');
    const [executed, recommended, awaiting] = await Promise.all(
      [fragment`execution`, fragment`recommendation`, fragment`approval`].map((table) =>
        readableLeadsOf(tools, { caller, tx, table }),
      ),
    );
    return { from, to, executed, recommended, awaiting };
  },
  async run({ tx, caller: { environment }, found: { from, to, executed, recommended, awaiting } }) {
    const [counts] = await tx.sql<Counts>`
      SELECT agent.*, execution.*, recommendation.*,
        (SELECT count(*)::int FROM approval WHERE status = 'pending'
          AND (${awaiting === undefined} OR lead_id = ANY(${awaiting ?? []}::bigint[]))) AS pending FROM (
        SELECT min(status) FILTER (WHERE kind = 'caller') AS caller,
          min(status) FILTER (WHERE kind = 'recommender') AS recommender FROM (
            SELECT kind, CASE status WHEN 'active' THEN 1 WHEN 'paused' THEN 2 ELSE 3 END AS status
            FROM agent WHERE deleted_at IS NULL) AS one) AS agent
      CROSS JOIN (
        SELECT count(*)::int AS executions,
          (count(*) FILTER (WHERE kind = 'caller' AND status IN ('succeeded', 'failed', 'timed_out')))::int AS calls,
          (count(*) FILTER (WHERE kind = 'caller' AND status = 'succeeded'))::int AS answered
        FROM execution WHERE created_at BETWEEN ${from} AND ${to}
          AND (${executed === undefined} OR lead_id = ANY(${executed ?? []}::bigint[]))) AS execution
      CROSS JOIN (
        SELECT count(*)::int AS recommendations, (count(*) FILTER (WHERE status = 'accepted' AND effect IS DISTINCT FROM 'failed'))::int AS accepted
        FROM recommendation WHERE created_at BETWEEN ${from} AND ${to}
          AND (${recommended === undefined} OR lead_id = ANY(${recommended ?? []}::bigint[]))) AS recommendation`;
    const { caller, recommender, executions, calls, answered, recommendations, accepted, pending } = counts as Counts;
    return {
      agents: {
        caller: {
          status: statusAt(caller),
          isSimulated: environment === 'sandbox',
          totalCalls: calls,
          successRate: rate(answered, calls),
        },
        recommender: {
          status: statusAt(recommender),
          totalRecommendations: recommendations,
          acceptRate: rate(accepted, recommendations),
        },
      },
      recentExecutions: executions,
      // Pending approvals are counted regardless of the requested range.
      pendingApprovals: pending,
    };
  },
});

/** The last millisecond of a day. */
function endOfDay(day: string, timezone: string): Date {
  return new Date(nextMidnight(startOfDay(day, timezone), timezone).getTime() - 1);
}

/** A kind of which every agent was deleted does no work, as a disabled one. */
function statusAt(position: number | null): AgentStatus {
  return agentStatuses[(position ?? agentStatuses.length) - 1] as AgentStatus;
}

function rate(part: number, whole: number): number {
  return whole ? part / whole : 0;
}
