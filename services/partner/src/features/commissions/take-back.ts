import type { Emit } from '@tandem/events';
import type { commissionCancelled, commissionEarned, payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import type { Commission as CommissionRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { InPayout } from '../payouts/leave-payout.ts';
import { lockPayout } from '../payouts/payout.ts';
import { cancel } from './cancel-commission.ts';
import { clawbackOf } from './clawback-commission.ts';
import { asCommission, insertCommissions, isClawedBack } from './commission.ts';
import { emitEarned } from './emit-earned.ts';

export interface TakingBack {
  tx: Tx;
  emit: Emit<typeof commissionCancelled | typeof commissionEarned | typeof payoutCompleted | typeof payoutFailed>;
}

/**
 * Takes back commissions. Unpaid ones are cancelled; paid ones, and those whose payment is on its way, are clawed back by a
 * negative commission, which the next payout deducts.
 * @param ids of commissions that are not cancelled
 */
export async function takeBackCommissions(
  { tx, emit }: TakingBack,
  ids: readonly number[],
  reason: string,
): Promise<void> {
  const clawedBack: CommissionRow[] = [];
  for (const { commission, payout } of await lockCommissions(tx, ids)) {
    if (isPaid(commission, payout)) clawedBack.push(commission);
    else if (await isClawedBack(tx, commission)) continue;
    // The commission before may have changed the payout.
    else await cancel({ tx, emit }, { commission, payout: payout && (await lockPayout(tx, payout.id)) }, { reason });
  }
  const rows = await insertCommissions(
    tx,
    clawedBack.map((commission) => clawbackOf(commission, { minor: commission.amountMinor, reason })),
  );
  emitEarned(emit, rows.map(asCommission));
}

/** Whether one of the commissions is paid, or its payment is on its way. Locks them until the end of the transaction. */
export async function hasPaid(tx: Tx, ids: readonly number[]): Promise<boolean> {
  return (await lockCommissions(tx, ids)).some(({ commission, payout }) => isPaid(commission, payout));
}

/** A payment of a failed payout may have been made too, when the provider did not answer. */
function isPaid({ status }: CommissionRow, payout: PayoutRow | undefined): boolean {
  return status === 'paid' || payout?.status === 'processing' || payout?.status === 'failed';
}

/** Locks commissions after their payouts, in the order of ids; leaves out those that were cancelled meanwhile. */
async function lockCommissions(tx: Tx, ids: readonly number[]): Promise<InPayout[]> {
  if (!ids.length) return [];
  const where = { id: { in: [...ids] } };
  const found = await tx.commission.findMany({ where, select: { payoutId: true } });
  const payouts = new Map<number, PayoutRow>();
  const payoutIds = [...new Set(found.flatMap(({ payoutId }) => payoutId ?? []))];
  for (const id of payoutIds.sort((one, other) => one - other)) payouts.set(id, await lockPayout(tx, id));
  await tx.sql`SELECT FROM commission WHERE id = ANY(${[...ids]}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  const commissions = await tx.commission.findMany({
    where: { ...where, status: { not: 'cancelled' } },
    orderBy: { id: 'asc' },
  });
  return commissions.map((commission) => {
    const payout = commission.payoutId === null ? undefined : payouts.get(commission.payoutId);
    // A repetition locks the payout that took it in between.
    if (commission.payoutId !== null && !payout) throw new Error(`a payout has taken the commission ${commission.id}`);
    return { commission, payout };
  });
}
