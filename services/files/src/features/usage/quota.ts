import { plans } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** The storage of a plan in bytes; null without a limit, undefined if identity has not answered for the tenant yet. */
export type StorageLimit = number | null | undefined;

type Known = Exclude<StorageLimit, undefined>;

// The smallest storage that a plan has: the limit of a tenant whose plan was never known here.
const smallestLimit = Math.min(...Object.values(plans).map(({ storageBytes }) => storageBytes ?? Infinity));

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

/** The limit that applies: the current one, or the last one that was known, or that of the smallest plan. */
export function limitOf(current: StorageLimit, stored: { limitBytes: Known; limitKnownAt: Date | null } | null): Known {
  if (current !== undefined) return current;
  return stored?.limitKnownAt ? stored.limitBytes : smallestLimit;
}
