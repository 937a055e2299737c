import { fromMinor, misfit, toMinor } from '@tandem/contract';
import type { Quota } from '@tandem/crm-contract';
import { fail, failField } from '@tandem/service';
import type { z } from 'zod';
import type { Quota as QuotaRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type QuotaRecord = z.output<typeof Quota>;

/** Converts a row to the contract's `Quota`. */
export function asQuota(row: QuotaRow): QuotaRecord {
  return { ...row, amount: fromMinor(row.amountMinor, row.currency) };
}

/** Locks the quota, so that checks on it still hold when it is written. */
export async function lockQuota(tx: Tx, id: number): Promise<QuotaRecord> {
  const row = await tx.quota.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asQuota(row);
}

/**
 * An amount in minor units.
 * @throws 422 naming `amount` when it has more decimals than the currency
 */
export function minorOf(amount: number, currency: string): number {
  const error = misfit(amount, currency);
  if (error) throw failField('amount', error);
  return toMinor(amount, currency);
}
