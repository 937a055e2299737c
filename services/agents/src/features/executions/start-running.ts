import type { BatchContext } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import type { AgentRecord } from '../agents/agent.ts';
import { asExecution, type ExecutionRecord, workingStatuses } from './execution.ts';

// How long an execution waits when its agent is at its maximum.
const fullMs = 10_000;

interface Starting {
  agents: ReadonlyMap<number, AgentRecord>;
  rows: Parameters<typeof asExecution>[0][];
}

/**
 * Sets executions to `running`, as many at once as their agents allow. One that was cancelled meanwhile does nothing more.
 * @returns those that run now, and when the others try again
 */
export async function startRunning(
  { tx, transaction }: Pick<BatchContext<unknown, Tx>, 'tx' | 'transaction'>,
  { agents, rows }: Starting,
): Promise<{ running: ExecutionRecord[]; full: [id: number, at: Date][] }> {
  if (!rows.length) return { running: [], full: [] };
  const now = new Date();
  const limited = [...agents.values()].filter(({ limits }) => limits.maxConcurrent !== null);
  const started = await (limited.length
    ? transaction(async () => setRunning(tx, await admitted(tx, { limited, rows }), now))
    : setRunning(tx, rows, now));
  const ids = new Set(started);
  const retryAt = new Date(now.getTime() + fullMs);
  const isFull = new Set(limited.map(({ id }) => id));
  return {
    running: rows
      .filter(({ id }) => ids.has(id))
      .map((row) => asExecution({ ...row, status: 'running', startedAt: row.startedAt ?? now })),
    full: rows.filter(({ id, agentId }) => !ids.has(id) && isFull.has(agentId)).map(({ id }) => [id, retryAt]),
  };
}

/** The rows that can run beside those that run already. The lock of the agents makes jobs at the same time wait for each other. */
async function admitted(
  tx: Tx,
  { limited, rows }: { limited: AgentRecord[]; rows: Starting['rows'] },
): Promise<Starting['rows']> {
  const agentIds = limited.map(({ id }) => id);
  await tx.sql`SELECT id FROM agent WHERE id = ANY(${agentIds}::bigint[]) ORDER BY id FOR UPDATE`;
  const counts = await tx.sql<{ agent: number; running: number }>`
    SELECT agent_id AS agent, count(*)::int AS running FROM execution
    WHERE agent_id = ANY(${agentIds}::bigint[]) AND status = 'running' AND id <> ALL(${rows.map(({ id }) => id)}::bigint[])
    GROUP BY 1`;
  const free = new Map<number, number>();
  for (const { id, limits } of limited) {
    const running = counts.find(({ agent }) => agent === id)?.running ?? 0;
    free.set(id, (limits.maxConcurrent as number) - running);
  }
  return rows.filter(({ agentId }) => {
    const left = free.get(agentId);
    if (left !== undefined) free.set(agentId, left - 1);
    return left === undefined || left > 0;
  });
}

async function setRunning(tx: Tx, rows: Starting['rows'], now: Date): Promise<number[]> {
  const ids = rows.map(({ id }) => id);
  const running = await tx.sql<{ id: number }>`
    UPDATE execution SET status = 'running', started_at = coalesce(started_at, ${now}::timestamptz)
    WHERE id IN (SELECT id FROM execution WHERE id = ANY(${ids}::bigint[])
      AND status = ANY(${workingStatuses}::text[]) ORDER BY id FOR UPDATE) RETURNING id`;
  return running.map(({ id }) => id);
}
