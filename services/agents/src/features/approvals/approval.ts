import {
  type AgentActionValue,
  Approval,
  approvalDecided,
  approvalRequested,
  approvalStates,
  type bulkRunCompleted,
  type recommendationDecided,
} from '@tandem/agents-contract';
import { id } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import type { JobContext, JobScope } from '@tandem/jobs';
import { fail, transitionError } from '@tandem/service';
import { z } from 'zod';
import type { Approval as ApprovalRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { completeRuns } from '../bulk-runs/bulk-run.ts';
import type { Approved } from '../executions/attempt.ts';
import {
  type ExecutionRecord,
  executionJobs,
  liveStatuses,
  lockExecutions,
  workingStatuses,
  workOf,
} from '../executions/execution.ts';
import type { Proposal } from '../executions/result.ts';
import { settleRecommendations, storeRecommendations, toColumns } from '../recommendations/recommendation.ts';

type ApprovalRecord = z.output<typeof Approval>;
type JobTransaction = Parameters<Parameters<JobContext<unknown, Tx>['finish']>[0]>[0];

const expiryHours = 72;

/** Job that expires an approval. */
export const expiryJob = { name: 'expire-approval', payload: z.object({ approvalId: id('approval') }) };

const columns = Approval.pick({ type: true, status: true, risk: true, proposedAction: true, editedAction: true });

/** Converts a row to the contract's `Approval`. */
export function asApproval(row: ApprovalRow): ApprovalRecord {
  const checked = columns.parse(row);
  return { ...row, ...checked, allowedTransitions: approvalStates.next(checked.status) };
}

/** An execution whose action requires an approval. */
interface Proposed {
  execution: ExecutionRecord;
  result: { proposal: Proposal };
}

/** Requests an approval for each of these actions and sets their executions to `awaiting_approval`. */
export async function requestApprovals({ tx, emit, schedule }: JobTransaction, due: Proposed[]): Promise<void> {
  if (!due.length) return;
  // Those that were cancelled meanwhile need none.
  const dueIds = due.map(({ execution }) => execution.id);
  const waiting = new Set(await lockExecutions(tx, dueIds, workingStatuses));
  const proposed = due.filter(({ execution }) => waiting.has(execution.id));
  if (!proposed.length) return;
  const expiresAt = new Date(Date.now() + expiryHours * 3_600_000);
  const rows = await tx.approval.createManyAndReturn({
    data: proposed.map(({ execution: { id: executionId, agentId, leadId, kind }, result: { proposal } }) => {
      const { action, rationale, risk, assignee } = proposal;
      const proposedAction = { ...action };
      return { executionId, agentId, leadId, type: workOf(kind), proposedAction, rationale, risk, assignee, expiresAt };
    }),
  });
  await awaitApproval({ tx, emit }, proposed);
  const ids = rows.map(({ id }) => id);
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

/** Sets executions to `awaiting_approval`, and stores the recommendations from which their actions come. */
async function awaitApproval(
  context: Pick<JobTransaction, 'tx' | 'emit'>,
  proposed: readonly Proposed[],
): Promise<void> {
  const { tx } = context;
  const values = proposed.map(({ execution, result: { proposal } }) => ({
    id: execution.id,
    steps: [...execution.steps, ...(proposal.steps ?? [])],
    source: proposal.source ?? execution.source,
    usage: proposal.usage ?? execution.usage,
    output: proposal.advice
      ? { action: proposal.advice.action, confidence: proposal.advice.confidence }
      : execution.output,
  }));
  await tx.sql`UPDATE execution SET status = 'awaiting_approval', approval_id = approval.id, steps = waiting.steps,
      output = waiting.output, source = waiting.source, usage = waiting.usage
    FROM approval, jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS waiting
      (id bigint, steps jsonb, output jsonb, source text, usage jsonb)
    WHERE approval.execution_id = execution.id AND execution.id = waiting.id`;
  const recommendations = proposed.flatMap(
    ({ execution: { id: executionId, agentId, leadId }, result: { proposal } }) =>
      proposal.advice
        ? { executionId, agentId, leadId, status: 'awaiting_approval', ...toColumns(proposal.advice) }
        : [],
  );
  await storeRecommendations(context, recommendations);
}

/** The decisions that executions have waited for, by execution. */
export async function readApproved(tx: Tx, executions: readonly ExecutionRecord[]): Promise<Map<number, Approved>> {
  const ids = executions.flatMap(({ approvalId }) => approvalId ?? []);
  if (!ids.length) return new Map();
  const rows = await tx.approval.findMany({ where: { id: { in: ids }, status: 'approved' } });
  return new Map(
    rows.map((row) => {
      const { executionId, proposedAction, editedAction, decidedBy, decidedAt } = asApproval(row);
      return [executionId, { action: editedAction ?? proposedAction, decidedBy, decidedAt: decidedAt as Date }];
    }),
  );
}

type Decision = { decidedBy?: number | null } & (
  | {
      status: 'approved';
      comment: string | null;
      /** The action to take instead of the proposed one. */
      editedAction?: AgentActionValue;
      /** The tenant and environment for the job of the execution. */
      scope: JobScope;
    }
  | { status: 'rejected'; reason: string | null }
  | { status: 'expired' }
);

/**
 * Decides an approval once; the second of two concurrent decisions fails. Continues or cancels its execution.
 */
export async function decide(
  {
    tx,
    emit,
    schedule,
  }: {
    tx: Tx;
    emit: Emit<typeof approvalDecided | typeof bulkRunCompleted | typeof recommendationDecided>;
    schedule: JobTransaction['schedule'];
  },
  approvalId: number,
  decision: Decision,
): Promise<ApprovalRecord> {
  const found = await tx.approval.findFirst({ where: { id: approvalId }, select: { executionId: true } });
  if (!found) throw fail('not_found');
  await lockExecutions(tx, [found.executionId], liveStatuses);
  const decidedAt = new Date();
  const { editedAction, scope: _, ...other } = { editedAction: undefined, scope: undefined, ...decision };
  const decided = { ...other, decidedAt, ...(editedAction && { editedAction: { ...editedAction } }) };
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
  if (decision.status === 'approved') {
    const job = executionJobs[type === 'recommend' ? 'act' : type];
    await schedule(job, [{ executionId, ...decision.scope }]);
  }
  emit(approvalDecided, { data: { approvalId, executionId, leadId, status }, record });
  await settleRecommendations({ tx, emit }, [executionId], settlementOf(record));
  if (execution && status !== 'approved') await completeRuns({ tx, emit }, [execution.bulkRunId]);
  return record;
}

/** The change of the recommendation of an execution whose approval was decided. */
function settlementOf({ status, editedAction, reason, decidedBy, decidedAt }: ApprovalRecord) {
  const decided = { decidedBy, decidedAt };
  if (status === 'approved')
    return { ...decided, status: 'accepted' as const, ...(editedAction && { proposal: editedAction }) };
  const dismissReason = reason ?? (status === 'expired' ? 'The approval expired' : null);
  return { ...decided, status: 'dismissed' as const, dismissReason };
}
