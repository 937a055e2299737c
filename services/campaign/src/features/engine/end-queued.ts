import type { Tx } from '../../handler.ts';

/**
 * Skips the messages that wait for another attempt, of those executions that were exited or cancelled, or reached their goal.
 * One that another transaction is recording is left to it, so that the two do not wait for each other.
 */
export async function endQueuedMessages(tx: Tx, executionIds: readonly number[]): Promise<void> {
  if (!executionIds.length) return;
  // Locked in a CTE, which runs once. As a subquery, it can run again for every message of the tenant.
  await tx.sql`
    WITH queued AS (
      SELECT message.id FROM message JOIN execution ON execution.id = message.execution_id
      WHERE message.execution_id = ANY(${executionIds}::bigint[]) AND message.status = 'queued'
        AND execution.status IN ('exited', 'cancelled', 'completed')
      FOR UPDATE OF message SKIP LOCKED)
    UPDATE message SET status = 'skipped', skip_reason = 'execution_ended', updated_at = now()
    FROM queued WHERE message.id = queued.id`;
}
