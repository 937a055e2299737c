import {
  Approval,
  approvalDecided,
  approvalRequested,
  approvalStates,
  type bulkRunCompleted,
} from '@tandem/agents-contract';
import { id } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { JobContext } from '@tandem/jobs';
import { fail, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Approval as ApprovalRow, Execution as ExecutionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { completeRuns } from '../bulk-runs/bulk-run.ts';
import { executionJobs, liveStatuses, lockExecutions, workingStatuses, workOf } from '../executions/execution.ts';

type ApprovalRecord = z.output<typeof Approval>;
type JobTransaction = Parameters<Parameters<JobContext<unknown, Tx>['finish']>[0]>[0];

const expiryHours = 72;

/** Job that expires an approval. */
export const expiryJob = { name: 'expire-approval', payload: z.object({ approvalId: id('approval') }) };

const columns = Approval.pick({ type: true, status: true });

/** Converts a row to the contract's `Approval`. */
export function asApproval(row: ApprovalRow): ApprovalRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: approvalStates.next(checked.status) };
}

/** Requests an approval for each of these executions and sets them to `awaiting_approval`. */
export async function requestApprovals({ tx, emit, schedule }: JobTransaction, due: ExecutionRow[]): Promise<void> {
  if (!due.length) return;
  // Those that were cancelled meanwhile need none.
  const dueIds = due.map(({ id }) => id);
  const waiting = new Set(await lockExecutions(tx, dueIds, workingStatuses));
  const executions = due.filter(({ id }) => waiting.has(id));
  if (!executions.length) return;
  const expiresAt = new Date(Date.now() + expiryHours * 3_600_000);
  const requested = executions.map(({ id: executionId, agentId, leadId, kind }) => ({
    executionId,
    agentId,
    leadId,
    type: workOf(kind),
    expiresAt,
  }));
  const rows = await tx.approval.createManyAndReturn({ data: requested });
  const ids = rows.map(({ id }) => id);
  await tx.sql`UPDATE execution SET status = 'awaiting_approval', approval_id = approval.id, started_at = now()
    FROM approval WHERE approval.execution_id = execution.id AND approval.id = ANY(${ids}::bigint[])`;
  await schedule(
    expiryJob,
    ids.map((approvalId) => ({ approvalId })),
    expiresAt,
  );
  for (const row of rows) {
    const { executionId, leadId } = row;
    emit(approvalRequested, { data: { approvalId: row.id, executionId, leadId }, record: asApproval(row) });
  }
}

interface Decision {
  status: 'approved' | 'rejected' | 'expired';
  comment?: string | null;
  reason?: string | null;
  decidedBy?: number | null;
}

/**
 * Decides an approval once; the second of two concurrent decisions fails. Continues or cancels its execution.
 * @param scope tenant and environment for the execution's job
 */
export async function decide(
  {
    tx,
    emit,
    schedule,
  }: { tx: Tx; emit: Emit<typeof approvalDecided | typeof bulkRunCompleted>; schedule: JobTransaction['schedule'] },
  approvalId: number,
  { decision, scope }: { decision: Decision; scope?: { tenantId: number; environment: 'live' | 'sandbox' } },
): Promise<ApprovalRecord> {
  const found = await tx.approval.findFirst({ where: { id: approvalId }, select: { executionId: true } });
  if (!found) throw fail('not_found');
  await lockExecutions(tx, [found.executionId], liveStatuses);
  const decidedAt = new Date();
  const decided = { ...decision, decidedAt };
  // The expiry job may run late, so the expiry time is also checked here.
  const isInTime = decision.status === 'expired' ? {} : { expiresAt: { gt: decidedAt } };
  const where = { id: approvalId, status: 'pending', ...isInTime };
  const [row] = await tx.approval.updateManyAndReturn({ where, data: decided });
  if (!row) {
    const existing = await tx.approval.findFirst({ where: { id: approvalId } });
    if (!existing) throw fail('not_found');
    const status = existing.status === 'pending' ? 'expired' : existing.status;
    throw fail('already_decided', [transitionError(status, [])]);
  }
  const record = asApproval(row);
  const { executionId, leadId, status, type } = record;
  const [execution] = await tx.execution.updateManyAndReturn({
    where: { id: executionId, status: 'awaiting_approval' },
    data: status === 'approved' ? { status: 'queued' } : { status: 'cancelled', finishedAt: new Date() },
    select: { bulkRunId: true },
  });
  if (status === 'approved' && scope) await schedule(executionJobs[type], [{ executionId, ...scope }]);
  emit(approvalDecided, { data: { approvalId, executionId, leadId, status }, record });
  if (execution && status !== 'approved') await completeRuns({ tx, emit }, [execution.bulkRunId]);
  return record;
}
