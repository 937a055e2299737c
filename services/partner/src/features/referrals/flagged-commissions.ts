import { id } from '@tandem/contract';
import type { Emit, Schedule } from '@tandem/events';
import { type JobContext, job, scheduleAgain } from '@tandem/jobs';
import type { commissionHeld, commissionReleased, payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import { z } from 'zod';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { hold } from '../commissions/hold-commission.ts';
import { lockCommissions, reread } from '../commissions/lock-commissions.ts';
import { release } from '../commissions/release-commission.ts';
import { readEarned } from './deals-of-referral.ts';
import { lockReferral } from './referral.ts';

/** Puts the commissions of a flagged referral on hold whose payments were on their way, and failed. */
const holdFlaggedJob = { name: 'hold-flagged-commissions', payload: z.object({ referralId: id('referral') }) };

const againAfterMs = 300_000;

export const holdFlaggedCommissions = job({
  ...holdFlaggedJob,
  rests: true,
  async run({ payload: { referralId }, finish }: JobContext<z.output<typeof holdFlaggedJob.payload>, Tx>) {
    await finish(async (inside) => {
      // A merge can have removed it since.
      if (!(await inside.tx.referral.count({ where: { id: referralId } }))) return;
      const row = await lockReferral(inside.tx, referralId);
      if (row.status === 'flagged') await holdFlagged(inside, row);
    });
  },
  /** Without another one, a payment that failed could be retried. */
  giveUp: scheduleAgain(holdFlaggedJob),
});

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionHeld | typeof payoutCompleted | typeof payoutFailed>;
  schedule: Schedule;
}

/** Puts the unpaid commissions of a locked referral on hold; those whose payments are on their way, once they fail. */
export async function holdFlagged({ tx, emit, schedule }: Inside, referral: ReferralRow): Promise<void> {
  const ids = await readEarned(tx, referral);
  let isPaying = false;
  for (const locked of await lockCommissions(tx, ids)) {
    if (locked.commission.status === 'paid') continue;
    if (locked.isBeingPaid) {
      isPaying = true;
      continue;
    }
    const found = await reread(tx, locked);
    if (['pending', 'approved'].includes(found.commission.status))
      await hold({ tx, emit }, found, { reason: 'The referral is flagged', heldBy: 'flag' });
  }
  // The end of a suspension must not release them.
  await tx.commission.updateMany({
    where: { id: { in: ids }, status: 'on_hold', heldBy: 'suspension' },
    data: { heldBy: 'flag' },
  });
  if (isPaying) await schedule(holdFlaggedJob, [{ referralId: referral.id }], new Date(Date.now() + againAfterMs));
}

/** Releases what the flag of a locked referral has put on hold, unless the partner is suspended. */
export async function releaseFlagged(
  { tx, emit, schedule }: { tx: Tx; emit: Emit<typeof commissionReleased>; schedule: Schedule },
  referral: ReferralRow,
): Promise<void> {
  const [suspended] =
    await tx.sql`SELECT FROM partner WHERE id = ${referral.partnerId} AND status = 'suspended' FOR SHARE`;
  for (const { commission } of await lockCommissions(tx, await readEarned(tx, referral))) {
    if (commission.status !== 'on_hold' || commission.heldBy !== 'flag') continue;
    if (suspended) await tx.commission.updateMany({ where: { id: commission.id }, data: { heldBy: 'suspension' } });
    else await release({ tx, emit, schedule }, commission);
  }
}
