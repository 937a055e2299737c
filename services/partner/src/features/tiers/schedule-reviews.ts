import type { Schedule } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { reviewTierJob } from './tier-jobs.ts';

/** Schedules the evaluation of partners whose figures or courses have changed. */
export async function scheduleReviews(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  partnerIds: readonly number[],
): Promise<void> {
  if (!partnerIds.length) return;
  // Most tenants set no tiers.
  if (!(await tx.tierRule.findFirst({ select: { tier: true } }))) return;
  const payloads = [...new Set(partnerIds)].map((partnerId) => ({ partnerId, reviewAt: null }));
  await schedule(reviewTierJob, payloads);
}
