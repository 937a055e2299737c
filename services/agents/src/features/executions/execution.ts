import type { Execution } from '@tandem/agents-contract';
import { id } from '@tandem/contract';
import { z } from 'zod';
import type { Execution as ExecutionRow } from '../../generated/client.ts';
import type { Advice } from './recommend.ts';

export type ExecutionRecord = z.output<typeof Execution>;
export type Step = ExecutionRecord['steps'][number];

/** The outcome of an attempt. */
export interface Ending {
  step: Step;
  output: Record<string, unknown>;
  advice?: Advice;
  /** When the next attempt is due. */
  againAt?: Date;
}

/** Statuses of an execution that has not ended. */
export const liveStatuses = ['queued', 'running', 'awaiting_approval'];
/** Statuses in which the job of an execution has work to do. */
export const workingStatuses = ['queued', 'running'];

// The job calls other services within this tenant.
const payload = z.object({ executionId: id('execution'), tenantId: z.int(), environment: z.enum(['live', 'sandbox']) });

/** The jobs that run executions, by kind of work. */
export const executionJobs = {
  call: { name: 'run-execution', payload },
  recommend: { name: 'run-recommendation', payload },
};

/** The kind of work that agents of this kind do. */
export function workOf(kind: string): keyof typeof executionJobs {
  return kind === 'caller' ? 'call' : 'recommend';
}

/** A row as the contract shows it. */
export function asExecution(row: ExecutionRow): ExecutionRecord {
  const record = row as unknown as ExecutionRecord;
  // JSON has no type for times.
  const steps = record.steps.map((step) => ({
    ...step,
    startedAt: new Date(step.startedAt),
    finishedAt: new Date(step.finishedAt),
  }));
  return { ...record, steps };
}
