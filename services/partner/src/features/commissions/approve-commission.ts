import type { Emit } from '@tandem/events';
import { commissionApproved, type commissions } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import {
  asCommission,
  type CommissionRecord,
  changeCommissions,
  checkTransition,
  lockCommission,
} from './commission.ts';

export const approveCommission: Handler<typeof commissions.approveCommission> = async ({
  params,
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const commission = await lockCommission(tx, params.cid);
  ifMatch(commission);
  return approve({ tx, emit }, commission, body);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionApproved>;
}

/** Approves a locked commission. */
export async function approve(
  { tx, emit }: Inside,
  commission: CommissionRow,
  { force = false }: { force?: boolean | undefined },
): Promise<CommissionRecord> {
  checkTransition(commission, 'approved');
  const { holdUntil } = commission;
  if (!force && holdUntil && holdUntil > new Date())
    throw fail('hold_not_over', [
      { field: 'force', message: `The hold period ends at ${holdUntil.toISOString()}; wait until then, or send true` },
    ]);
  const [row] = await changeCommissions(tx, [commission.id], { status: 'approved', approvedAt: new Date() });
  const record = asCommission(row as CommissionRow);
  emit(commissionApproved, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
