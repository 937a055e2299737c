import type { Emit } from '@tandem/events';
import { commissionReleased, type commissions } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import {
  asCommission,
  type CommissionRecord,
  changeCommissions,
  checkTransition,
  lockCommission,
} from './commission.ts';

export const releaseCommission: Handler<typeof commissions.releaseCommission> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const commission = await lockCommission(tx, params.cid);
  ifMatch(commission);
  return release({ tx, emit }, commission);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionReleased>;
}

/** Ends the hold of a locked commission. */
export async function release({ tx, emit }: Inside, commission: CommissionRow): Promise<CommissionRecord> {
  checkTransition(commission, 'pending');
  const [row] = await changeCommissions(tx, [commission.id], { status: 'pending', heldBy: null });
  const record = asCommission(row as CommissionRow);
  emit(commissionReleased, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
