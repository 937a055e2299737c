import type { AgentActionValue } from '@tandem/agents-contract';
import type { Lead, Tools } from '../../handler.ts';
import type { CallOutcome, CallResult } from '../../telephony.ts';
import type { AgentRecord } from '../agents/agent.ts';
import type { AttemptOutcome, ExecutionRecord } from './execution.ts';

/** The action of a call, which an approver may have edited. */
export type CallAction = Extract<AgentActionValue, { type: 'call' }>;

const failures: Record<Exclude<CallOutcome, 'answered'>, string> = {
  no_answer: 'The call was not answered',
  busy: 'The line was busy',
  failed: 'The call could not be connected',
};

// A failed line is a normal outcome; the agent's limits decide whether it is retried.
const lineIsDown = { outcome: 'failed', durationSeconds: 0, isSimulated: false } as const;
const timedOut = { ...lineIsDown, isTimeout: true };

/** Calls a lead. The agent's limits decide after which outcomes, and how often, the call is retried. */
export async function callLead(
  { telephony, callRetryMs, callMaxMs }: Tools,
  {
    agent,
    execution,
    lead,
    action,
    startedAt,
  }: { agent: AgentRecord; execution: ExecutionRecord; lead: Lead; action: CallAction; startedAt: Date },
): Promise<AttemptOutcome> {
  const { attempt } = execution;
  const step = { name: `Call, attempt ${attempt}`, type: 'call' as const, startedAt };
  if (lead.phone === null) {
    const error = { code: 'no_phone', message: 'The lead has no phone number', retryable: false };
    return { step: { ...step, status: 'failed', finishedAt: new Date(), error }, output: {} };
  }
  const key = `${execution.id}/${attempt}`;
  const { goal, script } = action;
  const { tone } = agent.config;
  const call = { key, leadId: lead.id, phone: lead.phone, attempt, goal, script, tone, input: execution.input };
  const { outcome, durationSeconds, isSimulated, isTimeout }: CallResult & { isTimeout?: boolean } = await withTimeout(
    callMaxMs,
    (signal) => telephony.place(call, signal),
  ).catch((error: unknown) => (isTimeoutError(error) ? timedOut : lineIsDown));
  const output = { outcome, durationSeconds, isSimulated, attempts: attempt };
  const finishedAt = new Date();
  if (outcome === 'answered') return { step: { ...step, status: 'succeeded', finishedAt, error: null }, output };
  const { retryOn, maxAttempts } = agent.limits;
  const retryable = retryOn.includes(outcome);
  const error = isTimeout
    ? { code: 'timed_out', message: 'The call did not end in time', retryable }
    : { code: outcome, message: failures[outcome], retryable };
  const failedAttempt: AttemptOutcome = { step: { ...step, status: 'failed', finishedAt, error }, output };
  return retryable && attempt < maxAttempts
    ? { ...failedAttempt, retryAt: new Date(finishedAt.getTime() + callRetryMs) }
    : failedAttempt;
}

function isTimeoutError(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Rejects when a call takes longer than `ms`. */
async function withTimeout<T>(ms: number, place: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  return Promise.race([place(signal), timeout]);
}
