import type { Execution } from '@tandem/agents-contract';
import { id } from '@tandem/contract';
import { z } from 'zod';
import type { Execution as ExecutionRow } from '../../generated/client.ts';
import type { Advice } from './recommend.ts';

export type ExecutionRecord = z.output<typeof Execution>;
export type Step = ExecutionRecord['steps'][number];

/** What came of an attempt. */
export interface Ending {
  step: Step;
  output: Record<string, unknown>;
  advice?: Advice;
  /** When it is to be tried again. */
  againAt?: Date;
}

/** In which an agent is at work for a lead. */
export const liveStatuses = ['queued', 'running', 'awaiting_approval'];
/** In which its job has something to do. */
export const workingStatuses = ['queued', 'running'];

// A job says whom it asks others for.
const payload = z.object({ executionId: id('execution'), tenantId: z.int(), environment: z.enum(['live', 'sandbox']) });

/** The jobs that do the work of an execution, by what it is. */
export const executionJobs = {
  call: { name: 'run-execution', payload },
  recommend: { name: 'run-recommendation', payload },
};

/** What an agent of a kind does. */
export function workOf(kind: string): keyof typeof executionJobs {
  return kind === 'caller' ? 'call' : 'recommend';
}

/** A row as the contract shows it. */
export function asExecution(row: ExecutionRow): ExecutionRecord {
  const record = row as unknown as ExecutionRecord;
  // In JSON times are text.
  const steps = record.steps.map((step) => ({
    ...step,
    startedAt: new Date(step.startedAt),
    finishedAt: new Date(step.finishedAt),
  }));
  return { ...record, steps };
}
