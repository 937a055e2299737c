import { actingUserId } from '@tandem/caller';
import { payoutApproved, type payouts } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asPayout, changePayout, checkTransition, lockPayout } from './payout.ts';

export const approvePayout: Handler<typeof payouts.approvePayout> = async ({ params, caller, tx, emit, ifMatch }) => {
  const payout = await lockPayout(tx, params.id);
  ifMatch(payout);
  checkTransition(payout, 'approved');
  if (!payout.preparedAt) throw fail('not_prepared');
  if (!payout.itemCount) throw fail('nothing_to_pay');
  const row = await changePayout(tx, payout.id, {
    status: 'approved',
    approvedAt: new Date(),
    approvedBy: actingUserId(caller) ?? null,
  });
  const record = asPayout(row);
  emit(payoutApproved, {
    data: { payoutId: row.id },
    record,
    changes: { status: { from: payout.status, to: record.status } },
  });
  return record;
};
