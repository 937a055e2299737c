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

/** Counts executions by due day: the scheduled day, or the day of creation. */
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
