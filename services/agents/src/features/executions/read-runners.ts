import type { Caller } from '@tandem/caller';
import type { JobScope } from '@tandem/jobs';
import { readActingUser } from '../../acting-user.ts';
import type { Tools } from '../../handler.ts';
import type { ExecutionRecord } from './execution.ts';

/**
 * Reads the users who run executions that ask the model, with their permissions now, by id.
 * @throws ServiceCallError while identity is unreachable, so that the job tries again
 */
export async function readRunners(
  tools: Tools,
  { scope, requestId }: { scope: JobScope; requestId: string },
  executions: readonly ExecutionRecord[],
): Promise<Map<number | null, Caller | undefined>> {
  if (!executions.length || !tools.asksModel) return new Map();
  const userIds = [...new Set(executions.flatMap(({ actingUserId }) => actingUserId ?? []))];
  const users = await Promise.all(
    userIds.map(async (id) => [id, await readActingUser(tools, id, { scope, requestId })] as const),
  );
  return new Map(users);
}
