import { type BatchContext, batchJob, type GiveUpContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Partner as PartnerRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { findCompletions } from './completions.ts';
import { evaluateTier, isOvertaken, lockForReview } from './evaluate.ts';
import { reviewTierJob } from './tier-jobs.ts';
import { readTiers } from './tier-rules.ts';

// Each evaluation reads a few indexes under the lock of its partner.
const reviewsMax = 50;
const hourMs = 3_600_000;

type Review = z.output<typeof reviewTierJob.payload>;

export const reviewTier = ({ peers }: Pick<Tools, 'peers'>) =>
  batchJob({
    ...reviewTierJob,
    batchMax: reviewsMax,
    rests: true,
    async run({ due, scope, tx, outside, finish }: BatchContext<Review, Tx>) {
      const partnerIds = [...new Set(due.map(({ payload }) => payload.partnerId))].sort((one, other) => one - other);
      // Read before the tiers and completions, so that an evaluation with newer ones is noticed.
      const rows = await tx.partner.findMany({
        where: { id: { in: partnerIds } },
        select: { id: true, tierEvaluations: true },
      });
      const evaluations = new Map(rows.map((row) => [row.id, row.tierEvaluations]));
      const { tiers } = await readTiers(tx);
      const as = { ...scope, requestId: 'review_tiers' };
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
