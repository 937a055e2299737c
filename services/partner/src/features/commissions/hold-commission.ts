import type { Emit } from '@tandem/events';
import { commissionHeld, type commissions, type payoutCompleted, type payoutFailed } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import { checkGrowth, type InPayout, leavePayout, lockWithPayout } from '../payouts/leave-payout.ts';
import { asCommission, type CommissionRecord, changeCommissions, checkTransition } from './commission.ts';

export const holdCommission: Handler<typeof commissions.holdCommission> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const found = await lockWithPayout(tx, params.cid);
  ifMatch(found.commission);
  return holdByHand({ tx, emit }, found, body);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionHeld | typeof payoutCompleted | typeof payoutFailed>;
}

/**
 * Puts a locked commission on hold for a person.
 * @throws ApiError `payout_in_progress` if a payment would grow
 */
export async function holdByHand(inside: Inside, found: InPayout, { reason }: { reason: string }) {
  checkGrowth(found);
  return hold(inside, found, { reason });
}

/** Puts a locked commission on hold. Approved ones need an approval again. */
export async function hold(
  { tx, emit }: Inside,
  { commission, payout }: InPayout,
  { reason, heldBy = 'person' }: { reason: string; heldBy?: 'person' | 'suspension' | 'flag' },
): Promise<CommissionRecord> {
  checkTransition(commission, 'on_hold');
  await leavePayout({ tx, emit }, { commission, payout });
  const [row] = await changeCommissions(tx, [commission.id], { status: 'on_hold', reason, heldBy, approvedAt: null });
  const record = asCommission(row as CommissionRow);
  emit(commissionHeld, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
