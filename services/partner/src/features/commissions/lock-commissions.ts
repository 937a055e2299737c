import { fail } from '@tandem/service';
import type { Commission as CommissionRow, Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type InPayout, mayBeMade } from '../payouts/leave-payout.ts';
import { lockPayout } from '../payouts/payout.ts';

/** A locked commission with the locked payout that includes it. */
export interface LockedCommission extends InPayout {
  /** Whether the payment may be made, or have been made: by a payout in progress, a provider that did not answer, or a report. */
  isBeingPaid: boolean;
}

/**
 * Locks commissions after their payouts, in the order of ids; leaves out those that were cancelled meanwhile.
 * @throws ApiError `payout_in_progress` when a payout has taken one in between; a repetition locks that payout first
 */
export async function lockCommissions(tx: Tx, ids: readonly number[]): Promise<LockedCommission[]> {
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
  const partnerIds = [...new Set(commissions.map(({ partnerId }) => partnerId))];
  const items = await tx.payoutItem.findMany({ where: { payoutId: { in: payoutIds }, partnerId: { in: partnerIds } } });
  const isOpen = ({ payoutId, partnerId }: CommissionRow) =>
    items.some((item) => item.payoutId === payoutId && item.partnerId === partnerId && mayBeMade(item));
  return commissions.map((commission) => {
    const payout = commission.payoutId === null ? undefined : payouts.get(commission.payoutId);
    if (commission.payoutId !== null && !payout) throw fail('payout_in_progress');
    return { commission, payout, isBeingPaid: payout?.status === 'processing' || isOpen(commission) };
  });
}

/** A locked commission as it is after others have changed: one that leaves a payout can take others with it. */
export async function reread(tx: Tx, { commission: { id } }: InPayout): Promise<InPayout> {
  const commission = await tx.commission.findFirst({ where: { id } });
  if (!commission) throw fail('not_found');
  return { commission, payout: commission.payoutId === null ? undefined : await lockPayout(tx, commission.payoutId) };
}
