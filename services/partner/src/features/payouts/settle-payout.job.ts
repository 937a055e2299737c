import { type Inside, type JobContext, job, scheduleAgain } from '@tandem/jobs';
import { commissionPaid } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { PayoutItem as PayoutItemRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asCommission, changeCommissions } from '../commissions/commission.ts';
import { endIfDone } from './end-payout.ts';
import { changePayout } from './payout.ts';
import { mailPaymentsJob, settlePayoutJob } from './payout-jobs.ts';

const itemsAtOnce = 50;

export const settlePayout = job({
  ...settlePayoutJob,
  rests: true,
  async run({ payload: { payoutId }, finish }: JobContext<z.output<typeof settlePayoutJob.payload>, Tx>) {
    await finish(async (inside) => {
      const payout = await inside.tx.payout.lockFirst({ where: { id: payoutId }, sharesKey: true });
      // Payments that were uncertain are settled after the payout has failed.
      if (!payout || !['processing', 'failed'].includes(payout.status)) return;
      const items = await inside.tx.payoutItem.findMany({
        where: { payoutId, status: 'settling' },
        orderBy: { id: 'asc' },
        take: itemsAtOnce,
      });
      await settle(inside, payout, items);
      return items.length === itemsAtOnce ? new Date() : undefined;
    });
  },
  /** Without another one, the payout would never end. */
  giveUp: scheduleAgain(settlePayoutJob),
});

/**
 * Marks the payments of a locked payout as made, with the ledger entries and events of their commissions. The payment, its
 * commissions and the events are one transaction, so each commission is paid once.
 */
export async function settle(
  { tx, emit, schedule }: Inside<Tx>,
  payout: PayoutRow,
  items: readonly PayoutItemRow[],
): Promise<void> {
  const paidAt = new Date();
  for (const item of items) {
    const rows = await tx.sql<{ id: number; amount: number }>`
      SELECT id, amount_minor AS amount FROM commission
      WHERE payout_id = ${payout.id} AND partner_id = ${item.partnerId} AND status = 'approved'
      ORDER BY id FOR NO KEY UPDATE`;
    // Exact also above the integers of a double.
    const sum = Number(rows.reduce((total, { amount }) => total + BigInt(amount), 0n));
    if (sum !== item.amountMinor)
      throw new Error(`the commissions of payment ${item.id} are ${sum}, not ${item.amountMinor}`);
    const ids = rows.map(({ id }) => id);
    const paid = await changeCommissions(tx, ids, { status: 'paid', paidAt });
    for (const record of paid.map(asCommission))
      emit(commissionPaid, { data: { commissionId: record.id, amount: record.amount }, record });
  }
  const ids = items.map(({ id }) => id);
  await tx.payoutItem.updateMany({
    where: { id: { in: ids } },
    data: { status: 'paid', paidAt, failure: null, isUncertain: false },
  });
  if (ids.length) await schedule(mailPaymentsJob, [{ payoutId: payout.id, itemIds: ids, outcome: 'paid' }]);
  await endIfDone({ tx, emit }, await changePayout(tx, payout.id, { paidCount: { increment: items.length } }));
}
