import {
  approvalDecided,
  type bulkRunCompleted,
  executionCancelled,
  type recommendationDecided,
  type recommendationPerformed,
} from '@tandem/agents-contract';
import { actingUserId, type Caller } from '@tandem/caller';
import type { Emit } from '@tandem/events';
import type { Schedule } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { asApproval } from '../approvals/approval.ts';
import { completeRuns } from '../bulk-runs/bulk-run.ts';
import { checkCallJob, keysOf, openCallsOf } from '../calls/phone-call.ts';
import { cancelledEffect, recordEffect, settleRecommendations } from '../recommendations/recommendation.ts';
import { asExecution, type ExecutionRecord, liveStatuses, lockExecutions } from './execution.ts';

interface Context {
  tx: Tx;
  emit: Emit<
    | typeof executionCancelled
    | typeof approvalDecided
    | typeof bulkRunCompleted
    | typeof recommendationDecided
    | typeof recommendationPerformed
  >;
  caller: Caller;
  schedule: Schedule;
}

/** Cancels those of these executions that have not ended, with the approvals that they wait for. Their calls are hung up. */
export async function cancelExecutions(
  { tx, emit, caller, schedule }: Context,
  ids: readonly number[],
  reason: string | null,
): Promise<ExecutionRecord[]> {
  const live = await lockExecutions(tx, ids, liveStatuses);
  if (!live.length) return [];
  const now = new Date();
  const decision = { decidedAt: now, decidedBy: actingUserId(caller) ?? null };
  const approvals = await tx.approval.updateManyAndReturn({
    where: { executionId: { in: live }, status: 'pending' },
    data: { status: 'cancelled', ...decision, reason },
  });
  await settleRecommendations({ tx, emit }, live, { ...decision, status: 'dismissed', dismissReason: reason });
  // The job of an execution that runs stores what its action has done.
  const queued = await tx.execution.findMany({ where: { id: { in: live }, status: 'queued' }, select: { id: true } });
  const acting = await tx.recommendation.findMany({
    where: { executionId: { in: queued.map(({ id }) => id) }, effect: 'pending' },
    select: { executionId: true },
  });
  for (const { executionId } of acting) await recordEffect({ tx, emit }, { executionId }, cancelledEffect);
  const rows = await tx.execution.updateManyAndReturn({
    where: { id: { in: live } },
    data: { status: 'cancelled', finishedAt: now, cancelReason: reason },
  });
  const cancelled = rows.map(asExecution);
  const calls = await openCallsOf(tx, live);
  const { tenantId = 0, environment } = caller;
  if (calls.length) await schedule(checkCallJob, keysOf(calls, { tenantId, environment }));
  for (const record of cancelled) {
    const { id: executionId, agentId, leadId } = record;
    emit(executionCancelled, { data: { executionId, agentId, leadId }, record });
  }
  for (const record of approvals.map(asApproval)) {
    const { id: approvalId, executionId, leadId } = record;
    emit(approvalDecided, { data: { approvalId, executionId, leadId, status: 'cancelled' }, record });
  }
  await completeRuns(
    { tx, emit },
    cancelled.map(({ bulkRunId }) => bulkRunId),
  );
  return cancelled;
}
