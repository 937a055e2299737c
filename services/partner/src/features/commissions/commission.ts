import { fromMinor } from '@tandem/contract';
import { Commission, commissionStates } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Commission as CommissionRow } from '../../generated/client.ts';

export type CommissionRecord = z.output<typeof Commission>;

const columns = Commission.pick({ type: true, status: true });

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
