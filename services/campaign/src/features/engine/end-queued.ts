import type { Tx } from '../../handler.ts';

/**
 * Skips the messages that wait for another attempt, of those executions that were exited or cancelled. One that another
 * transaction is recording is left to it, so that the two do not wait for each other.
 */
export async function endQueuedMessages(tx: Tx, executionIds: readonly number[]): Promise<void> {
  if (!executionIds.length) return;
  await tx.sql`UPDATE message SET status = 'skipped', skip_reason = 'execution_ended', updated_at = now()
    WHERE id IN (
      SELECT queued.id FROM message AS queued JOIN execution ON execution.id = queued.execution_id
      WHERE queued.execution_id = ANY(${executionIds}::bigint[]) AND queued.status = 'queued'
        AND execution.status IN ('exited', 'cancelled')
      FOR UPDATE OF queued SKIP LOCKED)`;
}
