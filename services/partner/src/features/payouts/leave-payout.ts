import type { Emit } from '@tandem/events';
import type { payoutCompleted, payoutFailed } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type {
  Commission as CommissionRow,
  PayoutItem as PayoutItemRow,
  Payout as PayoutRow,
} from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { endIfDone } from './end-payout.ts';
import { changePayout, lockPayout } from './payout.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof payoutCompleted | typeof payoutFailed>;
}

/** A locked commission, and the locked payout that includes it. */
export interface InPayout {
  commission: CommissionRow;
  payout: PayoutRow | undefined;
}

/** Whether a payment may have been made, although its commissions are not paid yet. */
export function mayBeMade({ status, isUncertain }: Pick<PayoutItemRow, 'status' | 'isUncertain'>): boolean {
  return isUncertain || status === 'settling';
}

/** Locks a commission after the payout that includes it. */
export async function lockWithPayout(tx: Tx, id: number): Promise<InPayout> {
  const found = await tx.commission.findFirst({ where: { id }, select: { payoutId: true } });
  return lockIn(tx, id, found?.payoutId ? await lockPayout(tx, found.payoutId) : undefined);
}

/**
 * Reads a commission that `lockWithPayouts` has locked, with its payout.
 * @throws ApiError `payout_in_progress` when a payout has taken it before it was locked
 */
export async function readWithPayout(tx: Tx, id: number): Promise<InPayout> {
  const [free] = await tx.sql<{ id: number }>`
    SELECT id FROM payout WHERE id = (SELECT payout_id FROM commission WHERE id = ${id}) FOR NO KEY UPDATE SKIP LOCKED`;
  return lockIn(tx, id, free && (await lockPayout(tx, free.id)));
}

async function lockIn(tx: Tx, id: number, payout: PayoutRow | undefined): Promise<InPayout> {
  const commission = await tx.commission.lockFirst({ where: { id } });
  if (!commission) throw fail('not_found');
  // A payout has taken or released it in between; the order of locks forbids to lock that one now.
  if (commission.payoutId !== (payout?.id ?? null)) throw fail('payout_in_progress');
  return { commission, payout };
}

/** Locks the payouts that include commissions, then the commissions, then the open statements, each in one order. */
export async function lockWithPayouts(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.sql`SELECT FROM payout WHERE id IN (SELECT payout_id FROM commission WHERE id = ANY(${[...ids]}::bigint[]))
    ORDER BY id FOR NO KEY UPDATE`;
  await tx.sql`SELECT FROM commission WHERE id = ANY(${[...ids]}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  // A change of a commission adds to the statement of its partner.
  await tx.sql`SELECT FROM statement WHERE finalized_at IS NULL
      AND partner_id IN (SELECT partner_id FROM commission WHERE id = ANY(${[...ids]}::bigint[]))
    ORDER BY partner_id, id FOR NO KEY UPDATE`;
}

/**
 * Fails for a deduction in a payout that was approved: without it the payment would be larger than what was approved.
 * @throws ApiError `payout_in_progress`
 */
export function checkGrowth({ commission, payout }: InPayout): void {
  if (commission.amountMinor < 0 && payout && ['approved', 'failed'].includes(payout.status))
    throw fail('payout_in_progress');
}

/**
 * Removes a commission that will not be paid from its payout. A payment that is then below the minimum is removed, and its
 * other commissions are carried over.
 * @throws ApiError `payout_in_progress` while the payment may be on its way
 */
export async function leavePayout({ tx, emit }: Inside, { commission, payout }: InPayout): Promise<void> {
  if (!payout) return;
  if (payout.status === 'processing') throw fail('payout_in_progress');
  const { partnerId } = commission;
  const item = await tx.payoutItem.findFirst({ where: { payoutId: payout.id, partnerId } });
  if (!item) throw new Error('a commission is in a payout without a payment');
  // Refused before the first write: bulk operations keep what was written.
  if (mayBeMade(item)) throw fail('payout_in_progress');
  await tx.sql`UPDATE commission SET payout_id = NULL WHERE id = ${commission.id}`;
  // A job releases the other commissions.
  if (payout.status === 'cancelled') return;
  const amountMinor = item.amountMinor - commission.amountMinor;
  if (amountMinor > 0 && amountMinor >= payout.minMinor) {
    const commissionCount = item.commissionCount - 1;
    await tx.payoutItem.updateMany({ where: { id: item.id }, data: { amountMinor, commissionCount } });
    await changePayout(tx, payout.id, {
      amountMinor: { decrement: commission.amountMinor },
      commissionCount: { decrement: 1 },
    });
    return;
  }
  await tx.sql`UPDATE commission SET payout_id = NULL WHERE payout_id = ${payout.id} AND partner_id = ${partnerId}`;
  await tx.payoutItem.deleteMany({ where: { id: item.id } });
  const changed = await changePayout(tx, payout.id, {
    amountMinor: { decrement: item.amountMinor },
    commissionCount: { decrement: item.commissionCount },
    itemCount: { decrement: 1 },
    // Without other commissions nothing is carried over.
    carriedCount: { increment: item.commissionCount > 1 ? 1 : 0 },
    ...(item.status === 'failed' && { failedCount: { decrement: 1 } }),
  });
  await endIfDone({ tx, emit }, changed);
}
