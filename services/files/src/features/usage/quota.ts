import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Refuses what was stored in this transaction if it exceeds the storage of the plan. The row of the usage is locked by the
 * trigger that counted it, so that concurrent uploads cannot exceed it together.
 * @param limit in bytes; null without a limit
 */
export async function checkQuota(tx: Tx, limit: number | null): Promise<void> {
  if (limit === null) return;
  const usage = await tx.storageUsage.findFirst({ where: {} });
  const used = usage?.usedBytes ?? 0;
  if (used <= limit) return;
  const message = `With this content ${used} of ${limit} bytes would be used`;
  throw fail('storage_quota_exceeded', [{ field: 'size', message }]);
}
