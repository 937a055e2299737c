import type { Emit } from '@tandem/events';
import { commissionCancelled, type commissions } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import {
  asCommission,
  type CommissionRecord,
  changeCommissions,
  checkTransition,
  lockCommission,
} from './commission.ts';

export const cancelCommission: Handler<typeof commissions.cancelCommission> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const commission = await lockCommission(tx, params.cid);
  ifMatch(commission);
  return cancel({ tx, emit }, commission, body);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionCancelled>;
}

/** Cancels a locked commission that is not paid. */
export async function cancel(
  { tx, emit }: Inside,
  commission: CommissionRow,
  { reason }: { reason: string },
): Promise<CommissionRecord> {
  checkTransition(commission, 'cancelled');
  const [row] = await changeCommissions(tx, [commission.id], { status: 'cancelled', cancelledAt: new Date(), reason });
  const record = asCommission(row as CommissionRow);
  emit(commissionCancelled, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
