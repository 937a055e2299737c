import { fromMinor } from '@tandem/contract';
import { Payout, payoutStates } from '@tandem/partner-contract';
import { fail, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { Payout as PayoutRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

const columns = Payout.pick({ status: true, method: true });

/** Converts a row to the contract's `Payout`. */
export function asPayout(row: PayoutRow): z.output<typeof Payout> {
  const { minMinor, amountMinor, currency } = row;
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    minAmount: fromMinor(minMinor, currency),
    amount: fromMinor(amountMinor, currency),
    allowedTransitions: payoutStates.next(checked.status),
  };
}

/**
 * Loads a payout with a row lock. Whoever changes a payout, its items or their commissions locks the payout first, then
 * commissions, so that two transactions cannot wait for each other.
 */
export async function lockPayout(tx: Tx, id: number): Promise<PayoutRow> {
  const row = await tx.payout.lockFirst({ where: { id }, sharesKey: true });
  if (!row) throw fail('not_found');
  return row;
}

/** Loads a payout; 404 if there is none. */
export async function readPayout(tx: Tx, id: number): Promise<PayoutRow> {
  const row = await tx.payout.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

type Status = z.output<typeof Payout>['status'];

/** The 409 error for a status change that the state table does not contain. */
export function wrongTransition(row: PayoutRow) {
  const { status, allowedTransitions } = asPayout(row);
  return fail('transition_refused', [transitionError(status, allowedTransitions)]);
}

/** Fails unless the state table has the change of status. */
export function checkTransition(row: PayoutRow, to: Status): void {
  if (!asPayout(row).allowedTransitions.includes(to)) throw wrongTransition(row);
}

/** Stores changes of a locked payout. */
export async function changePayout(
  tx: Tx,
  id: number,
  data: Omit<Parameters<Tx['payout']['updateManyAndReturn']>[0]['data'], 'version'>,
): Promise<PayoutRow> {
  const [row] = await tx.payout.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return row;
}
