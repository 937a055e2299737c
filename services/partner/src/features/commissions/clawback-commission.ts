import { fromMinor, misfit, toMinor } from '@tandem/contract';
import type { commissions } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { asCommission, type CommissionRecord, insertCommissions, lockCommission } from './commission.ts';
import { type Earning, emitEarned } from './emit-earned.ts';
import { readDeducted } from './read-deducted.ts';

export const clawbackCommission: Handler<typeof commissions.clawbackCommission> = async ({
  params,
  body,
  tx,
  emit,
}) => {
  const commission = await lockCommission(tx, params.cid);
  return clawBack({ tx, emit }, commission, body);
};

/** Records a negative commission for a locked, paid one. */
export async function clawBack(
  { tx, emit }: Earning,
  commission: CommissionRow,
  { reason, amount }: { reason: string; amount?: number | undefined },
): Promise<CommissionRecord> {
  if (commission.status !== 'paid' || commission.amountMinor < 0) throw fail('not_paid');
  // Reopened deals have taken a part back, if the clawback of a person was cancelled afterwards.
  const deducted = (await readDeducted(tx, [commission])).get(commission.id) ?? 0;
  const left = { ...commission, amountMinor: commission.amountMinor - deducted };
  if (left.amountMinor <= 0) throw fail('already_clawed_back');
  const minor = amountOf(left, amount);
  const [row] = await insertCommissions(tx, [clawbackOf(commission, { minor, reason })]);
  if (!row) throw fail('already_clawed_back');
  const record = asCommission(row);
  emitEarned(emit, [record]);
  return record;
}

/** The columns of the clawback of a paid commission. The next payout deducts it without an approval. */
export function clawbackOf(commission: CommissionRow, { minor, reason }: { minor: number; reason: string }) {
  return {
    partnerId: commission.partnerId,
    opportunityId: commission.opportunityId,
    dealVersion: commission.dealVersion,
    leadId: commission.leadId,
    basisMinor: commission.basisMinor,
    currency: commission.currency,
    rate: commission.rate,
    level: commission.level,
    planId: commission.planId,
    planVersion: commission.planVersion,
    planSource: commission.planSource,
    rateSource: commission.rateSource,
    amountMinor: -minor,
    type: 'clawback',
    status: 'approved',
    approvedAt: new Date(),
    originalCommissionId: commission.id,
    reason,
  };
}

/** The columns of the adjustment that takes what a partial clawback has left. */
export const restOf = (commission: CommissionRow, taken: { minor: number; reason: string }) => ({
  ...clawbackOf(commission, taken),
  type: 'adjustment',
});

function amountOf({ amountMinor, currency }: CommissionRow, amount: number | undefined): number {
  if (amount === undefined) return amountMinor;
  const wrong = misfit(amount, currency);
  if (wrong) throw failField('amount', wrong);
  const minor = toMinor(amount, currency);
  if (minor > amountMinor)
    throw failField('amount', `Must be at most ${fromMinor(amountMinor, currency)}, what the commission has left`);
  return minor;
}
