import { id, timestamp } from '@tandem/contract';
import { type BatchContext, batchJob, type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { findCompletions } from './completions.ts';
import { evaluateTier, isOvertaken, lockForReview } from './evaluate.ts';
import { readTiers } from './tier-rules.ts';

/** The job that evaluates the tier of a partner: after an event, or at the time that the partner has stored. */
export const reviewTierJob = {
  name: 'review-tier',
  payload: z.object({ partnerId: id('partner'), reviewAt: timestamp().nullable() }),
};

/** The job that evaluates all approved partners after the tiers are set, portion by portion. */
export const reviewAllTiersJob = {
  name: 'review-all-tiers',
  payload: z.object({ after: z.int(), version: z.int() }),
};

// Each evaluation reads a few indexes under the lock of its partner.
const reviewsMax = 50;
const portion = 500;
const hourMs = 3_600_000;

type Review = z.output<typeof reviewTierJob.payload>;

export const reviewTier = ({ peers }: Pick<Tools, 'peers'>) =>
  batchJob({
    ...reviewTierJob,
    batchMax: reviewsMax,
    rests: true,
    async run({ due, tx, outside, finish }: BatchContext<Review, Tx>) {
      const partnerIds = [...new Set(due.map(({ payload }) => payload.partnerId))].sort((one, other) => one - other);
      // Read before the tiers and completions, so that an evaluation with newer ones is noticed.
      const rows = await tx.partner.findMany({
        where: { id: { in: partnerIds } },
        select: { id: true, tierEvaluations: true },
      });
      const evaluations = new Map(rows.map((row) => [row.id, row.tierEvaluations]));
      const { tiers } = await readTiers(tx);
      const as = await scopeOf(tx);
      const completions = await outside(() => findCompletions(peers, as, { tiers, partnerIds }));
      await finish(async (inside) => {
        for (const partnerId of partnerIds) {
          const row = await lockForReview(inside.tx, partnerId);
          if (row?.status !== 'approved') continue;
          const reviews = due.flatMap(({ payload }) => (payload.partnerId === partnerId ? [payload] : []));
          if (!reviews.some((review) => isCurrent(review, row))) continue;
          if (isOvertaken(row, { evaluations: evaluations.get(partnerId) ?? 0 })) {
            await inside.schedule(reviewTierJob, [{ partnerId, reviewAt: null }]);
            continue;
          }
          await evaluateTier(inside, row, { tiers, completions: completions.get(partnerId) ?? [] });
        }
        return due.map(() => undefined);
      });
    },
    /** Training may be down for longer than a job is repeated; without another one, scheduled evaluations would end. */
    async giveUp({ payload, schedule }: GiveUpContext<Review, Tx>) {
      await schedule(reviewTierJob, [payload], new Date(Date.now() + hourMs));
    },
  });

/** A scheduled evaluation has no effect when another one was scheduled since. */
function isCurrent({ reviewAt }: Review, { tierReviewAt }: PartnerRow): boolean {
  return reviewAt === null || reviewAt.getTime() === tierReviewAt?.getTime();
}

export const reviewAllTiers = job({
  ...reviewAllTiersJob,
  rests: true,
  async run({ payload: { after, version }, finish }: JobContext<z.output<typeof reviewAllTiersJob.payload>, Tx>) {
    await finish(async ({ tx, schedule }) => {
      // The job of tiers that were set since evaluates all partners too.
      if ((await readTiers(tx)).version !== version) return;
      const partners = await tx.partner.findMany({
        where: { id: { gt: after }, status: 'approved' },
        orderBy: { id: 'asc' },
        take: portion,
        select: { id: true },
      });
      await schedule(
        reviewTierJob,
        partners.map(({ id: partnerId }) => ({ partnerId, reviewAt: null })),
      );
      const last = partners.at(-1);
      if (last && partners.length === portion) await schedule(reviewAllTiersJob, [{ after: last.id, version }]);
    });
  },
});

/** The tenant of a job, for calls to other services. */
async function scopeOf(tx: Tx) {
  const [scope] = await tx.sql<{ tenantId: number; environment: 'live' | 'sandbox' }>`
    SELECT platform.tenant_id() AS "tenantId", platform.environment() AS environment`;
  if (!scope) throw new Error('A job runs in the scope of a tenant');
  return { ...scope, requestId: 'review_tiers' };
}
