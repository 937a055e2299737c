import { fromMinor } from '@tandem/contract';
import { Commission, commissionStates } from '@tandem/partner-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Commission as CommissionRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { ledgerStateOf, postToLedger } from '../ledger/post-to-ledger.ts';

export type CommissionRecord = z.output<typeof Commission>;
type Status = CommissionRecord['status'];

const columns = Commission.pick({ type: true, status: true, planSource: true, rateSource: true });

/** Converts a row to the contract's `Commission`. */
export function asCommission(row: CommissionRow): CommissionRecord {
  const { amountMinor, basisMinor, currency } = row;
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    amount: fromMinor(amountMinor, currency),
    basisAmount: basisMinor === null ? null : fromMinor(basisMinor, currency),
    allowedTransitions: commissionStates.next(checked.status),
  };
}

/** Loads a commission with a row lock. */
export async function lockCommission(tx: Tx, id: number): Promise<CommissionRow> {
  const row = await tx.commission.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Whether a clawback deducts a locked commission, which is paid or was when its payment was on its way. */
export async function isClawedBack(tx: Tx, { id }: CommissionRow): Promise<boolean> {
  const where = { originalCommissionId: id, type: 'clawback', status: { not: 'cancelled' } };
  return (await tx.commission.findFirst({ where, select: { id: true } })) !== null;
}

/** Whether a payout has deducted the clawback of a locked commission, or is doing so. */
export async function isDeducted(tx: Tx, { id }: CommissionRow): Promise<boolean> {
  const rows = await tx.sql`
    SELECT clawback.id FROM commission AS clawback
    LEFT JOIN payout ON payout.id = clawback.payout_id
    LEFT JOIN payout_item AS item ON item.payout_id = clawback.payout_id AND item.partner_id = clawback.partner_id
    WHERE clawback.original_commission_id = ${id} AND clawback.type = 'clawback'
      AND (clawback.status = 'paid'
        OR (clawback.status = 'approved' AND (payout.status = 'processing' OR item.is_uncertain)))`;
  return rows.length > 0;
}

/** Fails unless the state table has the change of status. */
export function checkTransition({ status }: CommissionRow, to: Status): void {
  const next = commissionStates.next(status as Status);
  if (!next.includes(to)) throw fail('transition_refused', [transitionError(status, next)]);
}

/** Stores new commissions with their ledger entries; leaves out those that exist. */
export async function insertCommissions(
  tx: Tx,
  data: Omit<Prisma.CommissionCreateManyInput, 'ledgerState'>[],
): Promise<CommissionRow[]> {
  if (!data.length) return [];
  const rows = await tx.commission.createManyAndReturn({
    data: data.map((one) => ({ ...one, ledgerState: 'recorded' })),
    skipDuplicates: true,
  });
  await postToLedger(tx, rows);
  return rows;
}

/** Changes locked commissions that are in one status to another, with their ledger entries. */
export async function changeCommissions(
  tx: Tx,
  ids: readonly number[],
  data: { status: Status } & Prisma.CommissionUncheckedUpdateManyInput,
): Promise<CommissionRow[]> {
  if (!ids.length) return [];
  // Approvals and holds do not change the balance. They leave the state of the ledger, by which `postMissing` finds rows.
  const isPosted = data.status === 'cancelled' || data.status === 'paid';
  const rows = await tx.commission.updateManyAndReturn({
    where: { id: { in: [...ids] } },
    data: { ...data, ...(isPosted && { ledgerState: ledgerStateOf(data.status) }), version: { increment: 1 } },
  });
  if (isPosted) await postToLedger(tx, rows);
  return rows;
}
