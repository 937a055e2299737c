import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { reviewAllTiersJob, reviewTierJob } from './tier-jobs.ts';
import { readTiers } from './tier-rules.ts';

const portion = 500;

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
  /** Without another one, the other partners would keep their tiers. */
  giveUp: scheduleAgain(reviewAllTiersJob),
});
