import { fromMinor } from '@tandem/contract';
import type { Commission, commissionStatuses } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Commission as CommissionRow } from '../../generated/client.ts';

export type CommissionRecord = z.output<typeof Commission>;
type CommissionStatus = (typeof commissionStatuses)[number];

const transitions: Record<CommissionStatus, readonly CommissionStatus[]> = {
  pending: ['approved', 'on_hold', 'cancelled'],
  on_hold: ['pending', 'cancelled'],
  approved: ['paid', 'on_hold', 'cancelled'],
  paid: [],
  cancelled: [],
};

/** Converts a row to the contract's `Commission`. */
export function asCommission(row: CommissionRow): CommissionRecord {
  const { amountMinor, basisMinor, currency, status } = row;
  return {
    ...(row as Omit<CommissionRecord, 'amount' | 'basisAmount' | 'allowedTransitions'>),
    amount: fromMinor(amountMinor, currency),
    basisAmount: basisMinor === null ? null : fromMinor(basisMinor, currency),
    allowedTransitions: [...transitions[status as CommissionStatus]],
  };
}
