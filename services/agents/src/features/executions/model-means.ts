import type { Caller } from '@tandem/caller';
import type { JobScope } from '@tandem/jobs';
import { readActingUser } from '../../acting-user.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { ExecutionRecord } from './execution.ts';

interface Means {
  /** The users who run the executions, with their permissions now, by id. */
  users: Map<number | null, Caller | undefined>;
  /** Whether the tenant has tokens left for today. */
  hasTokens: boolean;
}

/**
 * Reads what executions need to ask the model.
 * @throws ServiceCallError while identity is unreachable, so that the job tries again
 */
export async function readMeans(
  tools: Tools,
  { tx, scope, requestId }: { tx: Tx; scope: JobScope; requestId: string },
  executions: readonly ExecutionRecord[],
): Promise<Means> {
  if (!executions.length || !tools.asksModel) return { users: new Map(), hasTokens: false };
  const userIds = [...new Set(executions.flatMap(({ actingUserId }) => actingUserId ?? []))];
  const users = await Promise.all(
    userIds.map(async (id) => [id, await readActingUser(tools, id, { scope, requestId })] as const),
  );
  const [used] = await tx.sql<{ tokens: number }>`
    SELECT coalesce(sum((usage->>'promptTokens')::bigint + (usage->>'completionTokens')::bigint), 0)::float AS tokens
    FROM execution WHERE created_at >= date_trunc('day', now(), 'UTC')`;
  return { users: new Map(users), hasTokens: (used?.tokens ?? 0) < tools.tokensPerDay };
}
