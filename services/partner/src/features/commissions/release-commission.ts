import type { Emit, Schedule } from '@tandem/events';
import { commissionReleased, type commissions } from '@tandem/partner-contract';
import type { Commission as CommissionRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import { readTermsOfVersion } from '../commission-plans/plan.ts';
import { approveDueJob } from './approve-due.job.ts';
import {
  asCommission,
  type CommissionRecord,
  changeCommissions,
  checkTransition,
  lockCommission,
} from './commission.ts';

export const releaseCommission: Handler<typeof commissions.releaseCommission> = async ({
  schedule,
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const commission = await lockCommission(tx, params.cid);
  ifMatch(commission);
  return release({ tx, emit, schedule }, commission);
};

interface Inside {
  tx: Tx;
  emit: Emit<typeof commissionReleased>;
  schedule: Schedule;
}

/** Ends the hold of a locked commission. A plan that approves by itself does so again. */
export async function release({ tx, emit, schedule }: Inside, commission: CommissionRow): Promise<CommissionRecord> {
  checkTransition(commission, 'pending');
  // The reason of the hold is over; the ledger has the one with which the commission was recorded.
  const where = { commissionId: commission.id, kind: commission.type };
  const recorded = await tx.ledgerEntry.findFirst({ where, select: { reason: true } });
  const reason = recorded?.reason ?? null;
  const [row] = await changeCommissions(tx, [commission.id], { status: 'pending', heldBy: null, reason });
  const record = asCommission(row as CommissionRow);
  const { planId, planVersion } = commission;
  const terms = planId === null ? undefined : await readTermsOfVersion(tx, planId, planVersion);
  if (terms?.autoApprove) await schedule(approveDueJob, [{ commissionId: record.id }], record.holdUntil ?? undefined);
  emit(commissionReleased, {
    data: { commissionId: record.id, partnerId: record.partnerId },
    record,
    changes: { status: { from: commission.status, to: record.status } },
  });
  return record;
}
