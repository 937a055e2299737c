import type { Emit, Schedule } from '@tandem/events';
import type { commissionHeld, commissionReleased, payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import type { Referral as ReferralRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { hold } from '../commissions/hold-commission.ts';
import { lockCommissions, reread } from '../commissions/lock-commissions.ts';
import { release } from '../commissions/release-commission.ts';
import { readEarned } from '../referrals/deals-of-referral.ts';

/** Puts the unpaid commissions of a locked referral on hold. A payment that is on its way stays for a person to decide. */
export async function holdFlagged(
  { tx, emit }: { tx: Tx; emit: Emit<typeof commissionHeld | typeof payoutCompleted | typeof payoutFailed> },
  referral: ReferralRow,
): Promise<void> {
  const ids = await readEarned(tx, referral);
  for (const locked of await lockCommissions(tx, ids)) {
    if (locked.isBeingPaid) continue;
    const found = await reread(tx, locked);
    if (['pending', 'approved'].includes(found.commission.status))
      await hold({ tx, emit }, found, { reason: 'The referral is flagged', heldBy: 'flag' });
  }
  // The end of a suspension must not release them.
  await tx.commission.updateMany({
    where: { id: { in: ids }, status: 'on_hold', heldBy: 'suspension' },
    data: { heldBy: 'flag' },
  });
}

/** Releases what the flag of a locked referral has put on hold. */
export async function releaseFlagged(
  { tx, emit, schedule }: { tx: Tx; emit: Emit<typeof commissionReleased>; schedule: Schedule },
  referral: ReferralRow,
): Promise<void> {
  for (const { commission } of await lockCommissions(tx, await readEarned(tx, referral)))
    if (commission.status === 'on_hold' && commission.heldBy === 'flag')
      await release({ tx, emit, schedule }, commission);
}
