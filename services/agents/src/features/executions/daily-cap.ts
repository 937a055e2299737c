import type { Tx } from '../../handler.ts';
import { type AgentRecord, checkActive, lockAgent } from '../agents/agent.ts';
import { liveStatuses } from './execution.ts';

/** Remaining daily cap of an agent on one day. */
export interface RemainingCapacity {
  executions: number;
  /** Leads with a live execution of the agent. They get no new execution, so they do not count toward the cap. */
  busyLeads: ReadonlySet<number>;
}

/**
 * Reads the remaining daily cap of an agent on the day of `dueAt`, in the tenant's time zone. Locks the agent until the
 * end of the transaction, so that concurrent requests do not exceed the cap.
 * @param on.readable the leads of the request
 * @throws ApiError 409 when the agent has been paused
 */
export async function lockCapacity(
  tx: Tx,
  on: {
    agent: AgentRecord;
    readable: ReadonlySet<number>;
    timezone: string;
    dueAt: Date;
    /** The daily maximum of all agents together; undefined without one. */
    runsPerDay: number | undefined;
  },
): Promise<RemainingCapacity> {
  const { limits, id: agentId } = await lockStarting(tx, on);
  const where = { agentId, leadId: { in: [...on.readable] }, status: { in: liveStatuses } };
  const busy = await tx.execution.findMany({ where, select: { leadId: true } });
  const planned = await countOfDay(tx, on);
  const ofAgent = (limits.dailyCap ?? Number.POSITIVE_INFINITY) - (planned.get(agentId) ?? 0);
  const ofAll = (on.runsPerDay ?? Number.POSITIVE_INFINITY) - [...planned.values()].reduce((sum, one) => sum + one, 0);
  return {
    executions: Math.min(ofAgent, ofAll),
    busyLeads: new Set(busy.map(({ leadId }) => leadId)),
  };
}

/**
 * Locks the agent of a request that starts executions; all agents, in one order, if they have a maximum together.
 * @throws ApiError 409 when the agent has been paused
 */
export async function lockStarting(
  tx: Tx,
  { agent, runsPerDay }: { agent: AgentRecord; runsPerDay: number | undefined },
): Promise<AgentRecord> {
  if (runsPerDay !== undefined) await tx.sql`SELECT id FROM agent ORDER BY id FOR UPDATE`;
  return checkActive(await lockAgent(tx, agent.id));
}

/** Counts the executions of each agent by due day: the scheduled day, or the day of creation. */
async function countOfDay(
  tx: Tx,
  { timezone, dueAt }: { timezone: string; dueAt: Date },
): Promise<Map<number, number>> {
  const rows = await tx.sql<{ agent: string; planned: number }>`
    WITH day AS (
      SELECT start AT TIME ZONE ${timezone} AS start, (start + interval '1 day') AT TIME ZONE ${timezone} AS "end"
      FROM date_trunc('day', ${dueAt}::timestamptz AT TIME ZONE ${timezone}) AS start)
    SELECT agent_id AS agent, count(*)::int AS planned FROM day, execution
    WHERE agent_id IN (SELECT id FROM agent) AND (scheduled_for >= day.start AND scheduled_for < day."end"
      OR scheduled_for IS NULL AND created_at >= day.start AND created_at < day."end")
    GROUP BY agent_id`;
  return new Map(rows.map(({ agent, planned }) => [Number(agent), planned]));
}
