import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import type { ResourceStatus } from './resource.ts';

/** Increments a usage counter without touching version and updatedAt. */
export async function countUsage(tx: Tx, id: number, action: 'download' | 'share', status?: ResourceStatus) {
  const [downloads, shares] = action === 'download' ? [1, 0] : [0, 1];
  const [counters] = await tx.sql<{ downloads: number; shares: number }>`
    UPDATE co_marketing_resource SET downloads = downloads + ${downloads}, shares = shares + ${shares}
    WHERE id = ${id} AND status = coalesce(${status ?? null}, status) RETURNING downloads, shares`;
  if (!counters) throw fail('not_found');
  return counters;
}
