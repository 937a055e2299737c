import type { Emit } from '@tandem/events';
import { payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import type { Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asPayout, changePayout } from './payout.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof payoutCompleted | typeof payoutFailed>;
}

/** Ends a locked payout once no payment is pending: completed, or failed if a payment failed. */
export async function endIfDone({ tx, emit }: Inside, payout: PayoutRow): Promise<PayoutRow> {
  const { paidCount, failedCount, itemCount, status } = payout;
  if (!['processing', 'failed'].includes(status) || paidCount + failedCount < itemCount) return payout;
  const ended = failedCount ? 'failed' : 'completed';
  if (ended === status) return payout;
  const row = await changePayout(tx, payout.id, { status: ended, completedAt: failedCount ? null : new Date() });
  const fields = {
    data: { payoutId: row.id },
    record: asPayout(row),
    changes: { status: { from: status, to: ended } },
  };
  if (ended === 'failed') emit(payoutFailed, fields);
  else emit(payoutCompleted, fields);
  return row;
}
