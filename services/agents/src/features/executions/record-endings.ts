import { executionCompleted, executionFailed } from '@tandem/agents-contract';
import type { BatchContext } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { asExecution, type Ending, type ExecutionRecord, workingStatuses, workOf } from './execution.ts';

/** An attempted execution with its outcome; the outcome is undefined when the lead no longer exists. */
export interface Ended {
  execution: ExecutionRecord;
  ending: Ending | undefined;
}

type Inside = Parameters<Parameters<BatchContext<unknown, Tx>['finish']>[0]>[0];

/** Stores the outcomes of several executions in as many statements as for one. An execution that has ended meanwhile stays as it is. */
export async function recordEndings({ tx, emit }: Inside, ended: Ended[]): Promise<void> {
  if (!ended.length) return;
  const changed = ended.map(({ execution, ending }) => ({ ending, record: changedBy(execution, ending) }));
  const values = changed.map(({ record }) => ({ ...record, finished_at: record.finishedAt }));
  const written = await tx.sql<{ id: number }>`
    UPDATE execution SET status = done.status, attempt = done.attempt, steps = done.steps, output = done.output,
      error = done.error, finished_at = done.finished_at
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS done
      (id bigint, status text, attempt int, steps jsonb, output jsonb, error jsonb, finished_at timestamptz)
    WHERE execution.id = done.id AND execution.id = ANY(${values.map(({ id }) => id)}::bigint[])
      AND execution.status = 'running' RETURNING execution.id`;
  const isWritten = new Set(written.map(({ id }) => id));
  const over = changed.filter(({ record, ending }) => isWritten.has(record.id) && !ending?.againAt);
  const advised = over.flatMap(({ record: { id: executionId, agentId, leadId }, ending }) =>
    ending?.advice ? { executionId, agentId, leadId, ...ending.advice } : [],
  );
  if (advised.length) await tx.recommendation.createMany({ data: advised });
  for (const { record } of over) {
    if (record.status === 'skipped') continue;
    const { id: executionId, agentId, leadId } = record;
    emit(record.status === 'failed' ? executionFailed : executionCompleted, {
      data: { executionId, agentId, leadId },
      record,
    });
  }
}

/** Marks an execution as failed when its job has used up its attempts. Otherwise it would stay in the status running. */
export async function failGivenUp(inside: Inside, executionId: number): Promise<void> {
  const { tx } = inside;
  const where = { id: executionId, status: { in: workingStatuses } };
  const now = new Date();
  const [row] = await tx.execution.updateManyAndReturn({ where, data: { status: 'running' } });
  if (!row) return;
  const execution = asExecution(row);
  const error = { code: 'given_up', message: 'It failed on our side, each time that it was tried', retryable: true };
  const step = { name: 'Give up', type: workOf(execution.kind), status: 'failed' as const };
  const ending = { step: { ...step, startedAt: now, finishedAt: now, error }, output: execution.output ?? {} };
  await recordEndings(inside, [{ execution, ending }]);
}

/** An execution with its outcome applied. */
function changedBy(execution: ExecutionRecord, ending: Ending | undefined): ExecutionRecord {
  const finishedAt = new Date();
  if (!ending) return { ...execution, status: 'skipped', finishedAt, output: { reason: 'The lead is gone' } };
  const { step, output, againAt } = ending;
  const tried = { ...execution, steps: [...execution.steps, step], output };
  if (againAt) return { ...tried, status: 'queued', attempt: execution.attempt + 1 };
  return { ...tried, status: step.error ? 'failed' : 'succeeded', error: step.error, finishedAt };
}
