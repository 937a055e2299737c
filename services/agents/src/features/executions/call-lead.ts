import type { Lead, Tools } from '../../handler.ts';
import type { CallOutcome } from '../../telephony.ts';
import type { AgentRecord } from '../agents/agent.ts';
import type { Ending, ExecutionRecord } from './execution.ts';

const failures: Record<Exclude<CallOutcome, 'answered'>, string> = {
  no_answer: 'Nobody answered',
  busy: 'The line was busy',
  failed: 'The call could not be made',
};

// A line that is down is an outcome like others. The agent's limits say whether it is retried.
const lineIsDown = { outcome: 'failed', durationSeconds: 0, isSimulated: false } as const;

/** Calls a lead. The agent's limits say after which outcomes, and how often, the call is repeated. */
export async function callLead(
  { telephony, callAgainMs, callMaxMs }: Tools,
  {
    agent,
    execution,
    lead,
    startedAt,
  }: { agent: AgentRecord; execution: ExecutionRecord; lead: Lead; startedAt: Date },
): Promise<Ending> {
  const { attempt } = execution;
  const step = { name: `Call, attempt ${attempt}`, type: 'call' as const, startedAt };
  if (lead.phone === null) {
    const error = { code: 'no_phone', message: 'The lead has no phone number', retryable: false };
    return { step: { ...step, status: 'failed', finishedAt: new Date(), error }, output: {} };
  }
  const key = `${execution.id}/${attempt}`;
  const call = { key, leadId: lead.id, phone: lead.phone, attempt, ...agent.config, input: execution.input };
  const { outcome, durationSeconds, isSimulated } = await inTime(callMaxMs, (signal) =>
    telephony.place(call, signal),
  ).catch(() => lineIsDown);
  const output = { outcome, durationSeconds, isSimulated, attempts: attempt };
  const finishedAt = new Date();
  if (outcome === 'answered') return { step: { ...step, status: 'succeeded', finishedAt, error: null }, output };
  const { retryOn, maxAttempts } = agent.limits;
  const retryable = retryOn.includes(outcome);
  const error = { code: outcome, message: failures[outcome], retryable };
  const ending: Ending = { step: { ...step, status: 'failed', finishedAt, error }, output };
  return retryable && attempt < maxAttempts
    ? { ...ending, againAt: new Date(finishedAt.getTime() + callAgainMs) }
    : ending;
}

/** Rejects when a call takes longer. */
async function inTime<T>(ms: number, place: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const { promise: late, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason));
  return Promise.race([place(signal), late]);
}
