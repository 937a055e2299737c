import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { releasePayoutJob } from './payout-jobs.ts';

const portion = 5_000;

export const releasePayout = job({
  ...releasePayoutJob,
  rests: true,
  async run({ payload: { payoutId }, finish }: JobContext<z.output<typeof releasePayoutJob.payload>, Tx>) {
    await finish(async ({ tx }) => {
      const released = await tx.sql`
        WITH locked AS (SELECT id FROM commission WHERE payout_id = ${payoutId} AND status <> 'paid' ORDER BY id LIMIT ${portion} FOR NO KEY UPDATE)
        UPDATE commission SET payout_id = NULL FROM locked WHERE commission.id = locked.id RETURNING commission.id`;
      return released.length === portion ? new Date() : undefined;
    });
  },
  /** Without another one, the payout would never end. */
  giveUp: scheduleAgain(releasePayoutJob),
});
