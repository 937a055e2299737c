import {
  type bulkRunCompleted,
  executionCompleted,
  executionFailed,
  executionStates,
  type executionStatuses,
} from '@tandem/agents-contract';
import type { Emit } from '@tandem/events';
import type { BatchContext } from '@tandem/jobs';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { completeRuns } from '../bulk-runs/bulk-run.ts';
import { checkCallJob, keysOf, openCallsOf } from '../calls/phone-call.ts';
import { recordEffect, storeRecommendations, toColumns } from '../recommendations/recommendation.ts';
import {
  asExecution,
  type ExecutionRecord,
  type executionJobs,
  lockExecutions,
  workingStatuses,
  workOf,
} from './execution.ts';
import type { AttemptOutcome, Result } from './result.ts';

/** An execution that was attempted or skipped. */
export interface AttemptedExecution {
  execution: ExecutionRecord;
  result: Extract<Result, { is: 'attempted' | 'skipped' }>;
}

type JobPayload = z.output<typeof executionJobs.call.payload>;
type JobTransaction = Parameters<Parameters<BatchContext<unknown, Tx>['finish']>[0]>[0];

/** Stores the outcomes of several executions, their recommendations, and the outcomes of the actions that they performed. */
export async function recordOutcomes(transaction: JobTransaction, attempted: AttemptedExecution[]): Promise<void> {
  const completed = await endAttempts(transaction, attempted);
  const recommendations = completed.flatMap(({ record: { id: executionId, agentId, leadId }, outcome }) =>
    outcome?.advice ? { executionId, agentId, leadId, ...toColumns(outcome.advice) } : [],
  );
  await storeRecommendations(transaction, recommendations);
  // Also of an execution that was cancelled while its action was performed.
  for (const { execution, result } of attempted)
    if (result.is === 'attempted' && result.outcome.effect)
      await recordEffect(transaction, { executionId: execution.id }, result.outcome.effect);
  // An approved action that was not performed has failed with its execution.
  for (const { record, outcome } of completed)
    if (!outcome?.effect && record.approvalId !== null)
      await recordEffect(transaction, { executionId: record.id }, { error: whyNot(record) });
}

interface Completed {
  record: ExecutionRecord;
  outcome: AttemptOutcome | undefined;
}

/**
 * Stores the outcomes of several executions with a fixed number of statements. Ended executions stay unchanged.
 * @returns those that have ended now
 */
export async function endAttempts(
  { tx, emit }: { tx: Tx; emit: Emit<typeof executionCompleted | typeof executionFailed | typeof bulkRunCompleted> },
  attempted: AttemptedExecution[],
): Promise<Completed[]> {
  if (!attempted.length) return [];
  const changed = attempted.map(({ execution, result }) => ({
    outcome: result.is === 'attempted' ? result.outcome : undefined,
    record: applyResult(execution, result),
  }));
  const values = changed.map(({ record, outcome }, index) => ({
    ...record,
    finished_at: record.finishedAt,
    scheduled_for: outcome?.retryAt ?? record.scheduledFor,
    // Another process may have begun the next attempt.
    before: attempted[index]?.execution.attempt,
  }));
  const recordedIds = await lockExecutions(
    tx,
    values.map(({ id }) => id),
    workingStatuses,
  );
  const written = await tx.sql<{ id: number }>`
    UPDATE execution SET status = done.status, attempt = done.attempt, steps = done.steps, output = done.output,
      error = done.error, finished_at = done.finished_at, source = done.source, usage = done.usage,
      scheduled_for = done.scheduled_for
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS done
      (id bigint, status text, attempt int, steps jsonb, output jsonb, error jsonb, finished_at timestamptz,
        source text, usage jsonb, scheduled_for timestamptz, before int)
    WHERE execution.id = done.id AND execution.attempt = done.before AND execution.id = ANY(${recordedIds}::bigint[])
    RETURNING execution.id`;
  const writtenIds = new Set(written.map(({ id }) => id));
  const completed = changed.filter(({ record, outcome }) => writtenIds.has(record.id) && !outcome?.retryAt);
  for (const { record } of completed) {
    if (record.status === 'skipped') continue;
    const { id: executionId, agentId, leadId } = record;
    emit(record.status === 'succeeded' ? executionCompleted : executionFailed, {
      data: { executionId, agentId, leadId },
      record,
    });
  }
  await completeRuns(
    { tx, emit },
    completed.map(({ record }) => record.bulkRunId),
  );
  return completed;
}

/** Sets executions back to `queued` that cannot run now. They are due at another time, so they count for that day. */
export async function postpone(
  { tx }: Pick<JobTransaction, 'tx'>,
  postponed: readonly { id: number; until: Date }[],
): Promise<void> {
  if (!postponed.length) return;
  await tx.sql`UPDATE execution SET status = 'queued', scheduled_for = later.until
    FROM jsonb_to_recordset(${JSON.stringify(postponed)}::jsonb) AS later (id bigint, until timestamptz)
    WHERE execution.id = later.id AND execution.status = 'running'`;
}

function whyNot({ error, output }: ExecutionRecord): { code: string; message: string } {
  if (error) return { code: error.code, message: error.message };
  return { code: 'skipped', message: String(output?.['reason'] ?? 'The execution was skipped') };
}

/** Marks an execution as failed when its job has used all attempts; otherwise it would stay in status running. A call is hung up. */
export async function failGivenUp(transaction: JobTransaction, key: JobPayload): Promise<void> {
  const { tx, schedule } = transaction;
  const { executionId, ...scope } = key;
  const row = await tx.execution.findFirst({ where: { id: executionId, status: { in: workingStatuses } } });
  if (!row) return;
  const now = new Date();
  const execution = asExecution(row);
  const error = { code: 'given_up', message: 'An internal error occurred on every attempt', retryable: true };
  const step = { name: 'Fail after the last attempt', type: workOf(execution.kind), status: 'failed' as const };
  const outcome: AttemptOutcome = {
    step: { ...step, startedAt: now, finishedAt: now, error },
    output: execution.output ?? {},
  };
  await recordOutcomes(transaction, [{ execution, result: { is: 'attempted', outcome } }]);
  const calls = await openCallsOf(tx, [executionId]);
  if (calls.length) await schedule(checkCallJob, keysOf(calls, scope));
}

/** An execution with its result applied. */
function applyResult(execution: ExecutionRecord, result: AttemptedExecution['result']): ExecutionRecord {
  const record = result.is === 'skipped' ? skipped(execution, result.reason) : withOutcome(execution, result.outcome);
  return { ...record, allowedTransitions: executionStates.next(record.status) };
}

function skipped(execution: ExecutionRecord, reason: string): ExecutionRecord {
  return { ...execution, status: 'skipped', finishedAt: new Date(), output: { reason } };
}

function withOutcome(execution: ExecutionRecord, outcome: AttemptOutcome): ExecutionRecord {
  const { trace = [], step, output, retryAt, source = execution.source, usage = execution.usage } = outcome;
  const attempted = { ...execution, steps: [...execution.steps, ...trace, step], output, source, usage };
  if (retryAt) return { ...attempted, status: 'queued', attempt: execution.attempt + 1 };
  return { ...attempted, status: endOf(step), error: step.error, finishedAt: new Date() };
}

function endOf({ error }: AttemptOutcome['step']): (typeof executionStatuses)[number] {
  if (!error) return 'succeeded';
  return error.code === 'timed_out' ? 'timed_out' : 'failed';
}
