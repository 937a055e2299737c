import { fromMinor } from '@tandem/contract';
import { Commission, type commissionStatuses } from '@tandem/partner-contract';
import type { z } from 'zod';
import type { Commission as CommissionRow } from '../../generated/client.ts';

export type CommissionRecord = z.output<typeof Commission>;
type CommissionStatus = (typeof commissionStatuses)[number];

const columns = Commission.pick({ type: true, status: true });
const transitions: Record<CommissionStatus, readonly CommissionStatus[]> = {
  pending: ['approved', 'on_hold', 'cancelled'],
  on_hold: ['pending', 'cancelled'],
  approved: ['paid', 'on_hold', 'cancelled'],
  paid: [],
  cancelled: [],
};

/** Converts a row to the contract's `Commission`. */
export function asCommission(row: CommissionRow): CommissionRecord {
  const { amountMinor, basisMinor, currency } = row;
  const checked = columns.parse(row);
  return {
    ...row,
    ...checked,
    amount: fromMinor(amountMinor, currency),
    basisAmount: basisMinor === null ? null : fromMinor(basisMinor, currency),
    allowedTransitions: [...transitions[checked.status]],
  };
}
