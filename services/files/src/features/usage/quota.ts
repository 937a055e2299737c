import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { limitOf, type StorageLimit } from './storage-limit.ts';

/**
 * Refuses what was stored in this transaction if it exceeds the storage of the plan. The row of the usage is locked by the
 * trigger that counted it, so that concurrent uploads cannot exceed it together.
 */
export async function checkQuota(tx: Tx, current: StorageLimit): Promise<void> {
  const usage = await tx.storageUsage.findFirst({ where: {} });
  const limit = limitOf(current, usage);
  const used = usage?.usedBytes ?? 0;
  if (limit !== null && used > limit) {
    const message = `With this content ${used} of ${limit} bytes would be used`;
    throw fail('storage_quota_exceeded', [{ field: 'size', message }]);
  }
  // Remembered for a restart during which identity does not answer.
  if (current !== undefined && (usage?.limitKnownAt == null || usage.limitBytes !== current))
    await tx.sql`UPDATE storage_usage SET limit_bytes = ${current}, limit_known_at = now()`;
}
