import { payoutCancelled, type payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPayout, changePayout, checkTransition, lockPayout } from './payout.ts';
import { releasePayoutJob } from './payout-jobs.ts';

export const cancelPayout: Handler<typeof payouts.cancelPayout> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const payout = await lockPayout(tx, params.id);
  ifMatch(payout);
  checkTransition(payout, 'cancelled');
  const open = { payoutId: payout.id, OR: [{ status: 'settling' }, { status: 'failed', isUncertain: true }] };
  if (await tx.payoutItem.count({ where: open })) throw fail('payout_in_progress');
  const record = asPayout(await changePayout(tx, payout.id, { status: 'cancelled' }));
  emit(payoutCancelled, {
    data: { payoutId: payout.id },
    record,
    changes: { status: { from: payout.status, to: record.status } },
  });
  await schedule(releasePayoutJob, [{ payoutId: payout.id }]);
  return record;
};
