import type { Emit } from '@tandem/events';
import { commissionEarned } from '@tandem/partner-contract';
import type { Tx } from '../../handler.ts';
import type { CommissionRecord } from './commission.ts';

/** The transaction in which a commission is recorded. */
export interface Earning {
  tx: Tx;
  emit: Emit<typeof commissionEarned>;
}

/** Emits the event of new commissions, which is also that of adjustments and clawbacks. */
export function emitEarned(emit: Earning['emit'], records: readonly CommissionRecord[]): void {
  for (const record of records) {
    const { id: commissionId, amount, currency, partnerId } = record;
    emit(commissionEarned, { data: { commissionId, amount, currency, partnerId }, record });
  }
}
