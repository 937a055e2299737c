import type { Tx } from '../../handler.ts';
import { type AgentRecord, checkActive, lockAgent } from '../agents/agent.ts';
import { liveStatuses } from './execution.ts';

/** The part of an agent's daily cap that is left on one day. */
export interface RemainingCapacity {
  executions: number;
  /** Leads that the agent is working for already: no execution starts for them, so they use nothing of the cap. */
  busyLeads: ReadonlySet<number>;
}

/**
 * Reads what is left of an agent's daily cap on the day of `dueAt`, in the tenant's time zone. Locks the agent until the end
 * of the transaction, so that two requests at once do not exceed the cap together.
 * @param on.readable the leads of the request
 * @throws ApiError 409 when the agent has been paused
 */
export async function lockCapacity(
  tx: Tx,
  on: { agent: AgentRecord; readable: ReadonlySet<number>; timezone: string; dueAt: Date },
): Promise<RemainingCapacity> {
  const { limits, id: agentId } = checkActive(await lockAgent(tx, on.agent.id));
  const where = { agentId, leadId: { in: [...on.readable] }, status: { in: liveStatuses } };
  const busy = await tx.execution.findMany({ where, select: { leadId: true } });
  const planned = await countOfDay(tx, agentId, on);
  return {
    executions: (limits.dailyCap ?? Number.POSITIVE_INFINITY) - planned,
    busyLeads: new Set(busy.map(({ leadId }) => leadId)),
  };
}

/** An execution counts on the day it is due: the day of its creation unless it was scheduled. */
async function countOfDay(
  tx: Tx,
  agentId: number,
  { timezone, dueAt }: { timezone: string; dueAt: Date },
): Promise<number> {
  const [row] = await tx.sql<{ planned: number }>`
    WITH day AS (
      SELECT start AT TIME ZONE ${timezone} AS start, (start + interval '1 day') AT TIME ZONE ${timezone} AS "end"
      FROM date_trunc('day', ${dueAt}::timestamptz AT TIME ZONE ${timezone}) AS start)
    SELECT count(*)::int AS planned FROM day, execution
    WHERE agent_id = ${agentId} AND (scheduled_for >= day.start AND scheduled_for < day."end"
      OR scheduled_for IS NULL AND created_at >= day.start AND created_at < day."end")`;
  return row?.planned ?? 0;
}
