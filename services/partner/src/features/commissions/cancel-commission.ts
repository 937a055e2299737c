import type { Emit } from '@tandem/events';
import {
  commissionCancelled,
  type commissions,
  type payoutCompleted,
  type payoutFailed,
} from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import { checkGrowth, type InPayout, leavePayout, lockWithPayout } from '../payouts/leave-payout.ts';
import { asCommission, type CommissionRecord, changeCommissions, checkTransition, isClawedBack } from './commission.ts';
import { readDeducted } from './read-deducted.ts';

export const cancelCommission: Handler<typeof commissions.cancelCommission> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const found = await lockWithPayout(tx, params.cid);
  ifMatch(found.commission);
  return cancelByHand({ tx, emit }, found, body);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionCancelled | typeof payoutCompleted | typeof payoutFailed>;
}

/**
 * Cancels a locked commission for a person.
 * @throws ApiError `clawed_back` because the balance would be lowered twice, `earned_again` because the sale has another
 *   commission, or `payout_in_progress` if a payment would grow
 */
export async function cancelByHand(inside: Inside, found: InPayout, body: { reason: string }) {
  if (await isClawedBack(inside.tx, found.commission)) throw fail('clawed_back');
  if (await isEarnedAgain(inside.tx, found.commission)) throw fail('earned_again');
  checkGrowth(found);
  return cancel(inside, found, body);
}

/**
 * Whether the sale whose commission a locked clawback takes back has earned again: after its referral was reassigned, or its
 * deal was reopened and won again. Locks that commission, as both of these do.
 */
async function isEarnedAgain(tx: Tx, clawback: CommissionRow): Promise<boolean> {
  const { originalCommissionId, opportunityId, leadId, level } = clawback;
  if (originalCommissionId === null || (opportunityId === null && leadId === null)) return false;
  await tx.sql`SELECT FROM commission WHERE id = ${originalCommissionId} FOR SHARE`;
  const sale = opportunityId === null ? { leadId } : { opportunityId };
  const since = { id: { gt: originalCommissionId }, type: 'earned', status: { not: 'cancelled' } };
  const others = await tx.commission.findMany({ where: { ...sale, level, ...since } });
  const deducted = await readDeducted(tx, others);
  return others.some(({ id, amountMinor }) => amountMinor > (deducted.get(id) ?? 0));
}

/** Cancels a locked commission that is not paid. */
export async function cancel(
  { tx, emit }: Inside,
  { commission, payout }: InPayout,
  { reason }: { reason: string },
): Promise<CommissionRecord> {
  checkTransition(commission, 'cancelled');
  await leavePayout({ tx, emit }, { commission, payout });
  const [row] = await changeCommissions(tx, [commission.id], { status: 'cancelled', cancelledAt: new Date(), reason });
  const record = asCommission(row as CommissionRow);
  emit(commissionCancelled, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
