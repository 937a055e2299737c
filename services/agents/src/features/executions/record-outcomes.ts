import { executionCompleted, executionFailed, executionStates } from '@tandem/agents-contract';
import type { BatchContext } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { completeRuns } from '../bulk-runs/bulk-run.ts';
import {
  type AttemptOutcome,
  asExecution,
  type ExecutionRecord,
  lockExecutions,
  workingStatuses,
  workOf,
} from './execution.ts';

/** An attempted execution with its outcome; the outcome is undefined when the lead no longer exists. */
export interface AttemptedExecution {
  execution: ExecutionRecord;
  outcome: AttemptOutcome | undefined;
}

type JobTransaction = Parameters<Parameters<BatchContext<unknown, Tx>['finish']>[0]>[0];

/** Stores the outcomes of several executions with a fixed number of statements. Ended executions stay unchanged. */
export async function recordOutcomes({ tx, emit }: JobTransaction, attempted: AttemptedExecution[]): Promise<void> {
  if (!attempted.length) return;
  const changed = attempted.map(({ execution, outcome }) => ({ outcome, record: applyOutcome(execution, outcome) }));
  const values = changed.map(({ record }) => ({ ...record, finished_at: record.finishedAt }));
  const recordedIds = await lockExecutions(
    tx,
    values.map(({ id }) => id),
    ['running'],
  );
  const written = await tx.sql<{ id: number }>`
    UPDATE execution SET status = done.status, attempt = done.attempt, steps = done.steps, output = done.output,
      error = done.error, finished_at = done.finished_at
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS done
      (id bigint, status text, attempt int, steps jsonb, output jsonb, error jsonb, finished_at timestamptz)
    WHERE execution.id = done.id AND execution.id = ANY(${recordedIds}::bigint[])
    RETURNING execution.id`;
  const writtenIds = new Set(written.map(({ id }) => id));
  const completed = changed.filter(({ record, outcome }) => writtenIds.has(record.id) && !outcome?.retryAt);
  const recommendations = completed.flatMap(({ record: { id: executionId, agentId, leadId }, outcome }) =>
    outcome?.advice ? { executionId, agentId, leadId, ...outcome.advice } : [],
  );
  if (recommendations.length) await tx.recommendation.createMany({ data: recommendations });
  for (const { record } of completed) {
    if (record.status === 'skipped') continue;
    const { id: executionId, agentId, leadId } = record;
    emit(record.status === 'failed' ? executionFailed : executionCompleted, {
      data: { executionId, agentId, leadId },
      record,
    });
  }
  await completeRuns(
    { tx, emit },
    completed.map(({ record }) => record.bulkRunId),
  );
}

/** Marks an execution as failed when its job has used all attempts; otherwise it would stay in status running. */
export async function failGivenUp(transaction: JobTransaction, executionId: number): Promise<void> {
  const { tx } = transaction;
  const where = { id: executionId, status: { in: workingStatuses } };
  const now = new Date();
  const [row] = await tx.execution.updateManyAndReturn({ where, data: { status: 'running' } });
  if (!row) return;
  const execution = asExecution(row);
  const error = { code: 'given_up', message: 'An internal error occurred on every attempt', retryable: true };
  const step = { name: 'Fail after the last attempt', type: workOf(execution.kind), status: 'failed' as const };
  const outcome = { step: { ...step, startedAt: now, finishedAt: now, error }, output: execution.output ?? {} };
  await recordOutcomes(transaction, [{ execution, outcome }]);
}

/** An execution with its outcome applied. */
function applyOutcome(execution: ExecutionRecord, outcome: AttemptOutcome | undefined): ExecutionRecord {
  const record = withOutcome(execution, outcome);
  return { ...record, allowedTransitions: executionStates.next(record.status) };
}

function withOutcome(execution: ExecutionRecord, outcome: AttemptOutcome | undefined): ExecutionRecord {
  const finishedAt = new Date();
  if (!outcome) return { ...execution, status: 'skipped', finishedAt, output: { reason: 'The lead was deleted' } };
  const { step, output, retryAt } = outcome;
  const attempted = { ...execution, steps: [...execution.steps, step], output };
  if (retryAt) return { ...attempted, status: 'queued', attempt: execution.attempt + 1 };
  return { ...attempted, status: step.error ? 'failed' : 'succeeded', error: step.error, finishedAt };
}
