import type { AgentActionValue } from '@tandem/agents-contract';
import type { Lead } from '../../handler.ts';
import type { CallOutcome, EndedCall } from '../../telephony.ts';
import type { AgentRecord } from '../agents/agent.ts';
import type { ExecutionRecord } from './execution.ts';
import type { AttemptOutcome } from './result.ts';

/** The action of a call, which an approver may have edited. */
export type CallAction = Extract<AgentActionValue, { type: 'call' }>;

/** An attempt to call a lead. */
export interface CalledLead {
  agent: AgentRecord;
  execution: ExecutionRecord;
  lead: Lead;
  action: CallAction;
  startedAt: Date;
  callRetryMs: number;
}

const failures: Record<Exclude<CallOutcome, 'answered'>, string> = {
  no_answer: 'The call was not answered',
  busy: 'The line was busy',
  failed: 'The call could not be connected',
};

type OfAttempt = Pick<CalledLead, 'agent' | 'execution' | 'startedAt' | 'callRetryMs'>;

/** The outcome of an attempt whose call has ended. The agent's limits decide after which outcomes, and how often, it is retried. */
export function attemptOf(ended: EndedCall, { agent, execution, startedAt, callRetryMs }: OfAttempt): AttemptOutcome {
  const { attempt } = execution;
  const { outcome, durationSeconds, isSimulated, callId } = ended;
  const name = `${isSimulated ? 'Simulated call' : 'Call'}, attempt ${attempt}`;
  const finishedAt = new Date();
  const step = { name, type: 'call' as const, startedAt, finishedAt };
  const output = { outcome, durationSeconds, isSimulated, attempts: attempt, ...(callId && { callId }) };
  if (outcome === 'answered') return { step: { ...step, status: 'succeeded', error: null }, output };
  const { retryOn, maxAttempts } = agent.limits;
  const retryable = retryOn.includes(outcome);
  const error = { ...(ended.error ?? { code: outcome, message: failures[outcome] }), retryable };
  const failed: AttemptOutcome = { step: { ...step, status: 'failed', error }, output };
  return retryable && attempt < maxAttempts
    ? { ...failed, retryAt: new Date(finishedAt.getTime() + callRetryMs) }
    : failed;
}

/** The outcome of an attempt for which the provider made no call. It counts as one, so that it is retried as the limits say. */
export function failedAttempt(on: CalledLead, error: { code: string; message: string }): AttemptOutcome {
  return attemptOf({ outcome: 'failed', durationSeconds: 0, isSimulated: false, error }, on);
}

/** The outcome of an attempt that cannot be made, now or later. */
export function cannotCall(
  { execution: { attempt }, startedAt }: CalledLead,
  error: { code: string; message: string },
): AttemptOutcome {
  const step = { name: `Call, attempt ${attempt}`, type: 'call' as const, startedAt, finishedAt: new Date() };
  return { step: { ...step, status: 'failed', error: { ...error, retryable: false } }, output: {} };
}
