import type { Emit } from '@tandem/events';
import type { commissionCancelled, commissionEarned, payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { cancel } from './cancel-commission.ts';
import { clawbackOf, restOf } from './clawback-commission.ts';
import { asCommission, insertCommissions, isClawedBack } from './commission.ts';
import { emitEarned } from './emit-earned.ts';
import { type LockedCommission, lockCommissions, reread } from './lock-commissions.ts';
import { readDeducted } from './read-deducted.ts';

export interface TakingBack {
  tx: Tx;
  emit: Emit<typeof commissionCancelled | typeof commissionEarned | typeof payoutCompleted | typeof payoutFailed>;
}

/**
 * Takes back commissions. Unpaid ones are cancelled; paid ones, and those whose payment is on its way, are clawed back by a
 * negative commission, which the next payout deducts. After a partial clawback, an adjustment takes the rest.
 * @param ids of commissions that are not cancelled
 */
export async function takeBackCommissions(
  { tx, emit }: TakingBack,
  ids: readonly number[],
  reason: string,
): Promise<void> {
  const clawedBack: CommissionRow[] = [];
  for (const locked of await lockCommissions(tx, ids)) {
    const { commission } = locked;
    if (isPaid(locked)) clawedBack.push(commission);
    else if (!(await isClawedBack(tx, commission))) await cancel({ tx, emit }, await reread(tx, locked), { reason });
  }
  const deducted = await readDeducted(tx, clawedBack);
  const rows = await insertCommissions(
    tx,
    clawedBack.flatMap((commission) => {
      const before = deducted.get(commission.id);
      const minor = commission.amountMinor - (before ?? 0);
      if (minor <= 0) return [];
      return before === undefined ? clawbackOf(commission, { minor, reason }) : restOf(commission, { minor, reason });
    }),
  );
  emitEarned(emit, rows.map(asCommission));
}

/**
 * Whether one of the commissions is paid and not wholly clawed back, or its payment is on its way. Locks them until the end
 * of the transaction.
 */
export async function hasPaid(tx: Tx, ids: readonly number[]): Promise<boolean> {
  const paid = (await lockCommissions(tx, ids)).filter(isPaid);
  const deducted = await readDeducted(
    tx,
    paid.map(({ commission }) => commission),
  );
  return paid.some(({ commission: { id, amountMinor } }) => amountMinor > (deducted.get(id) ?? 0));
}

function isPaid({ commission, isBeingPaid }: LockedCommission): boolean {
  return commission.status === 'paid' || isBeingPaid;
}
