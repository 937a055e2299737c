import type { BatchContext, Inside } from '@tandem/jobs';
import { twimlOf } from '@tandem/telephony';
import type { Tools, Tx } from '../../handler.ts';
import type { AgentRecord } from '../agents/agent.ts';
import { attemptOf, type CalledLead, cannotCall, failedAttempt } from '../executions/call-outcome.ts';
import { type ExecutionRecord, lockExecutions } from '../executions/execution.ts';
import type { Result } from '../executions/result.ts';
import { lockWaiting } from './end-call.ts';
import { checkCallJob, hangUpCallJob, outcomeOf, type PhoneCallRecord, statusUrlOf } from './phone-call.ts';

export type LineContext = Pick<BatchContext<unknown, Tx>, 'tx' | 'transaction' | 'outside' | 'scope'>;

// How often the provider is asked to start a call while it is unavailable: with these pauses about an hour.
const startsMax = 8;
const pauseMs = 60_000;
const pauseMaxMs = 15 * 60_000;

/**
 * Starts the call of an attempt. The call is stored first: a process that takes over finds it, and does not call the lead a second
 * time in this attempt.
 */
export async function startCall(tools: Tools, context: LineContext, on: CalledLead): Promise<Result> {
  const { telephony } = tools;
  const { execution, lead, action } = on;
  const refuse = (code: string, message: string): Result => ({
    is: 'attempted',
    outcome: cannotCall(on, { code, message }),
  });
  if (!telephony.isEnabled)
    return refuse('telephony_not_configured', 'No telephone provider is set up; the operator sets TELEPHONY_*');
  if (!action.script) return refuse('no_script', 'The agent has nothing to say: set config.script');
  const twiml = twimlOf(action.script);
  if (twiml === undefined)
    return refuse('script_too_long', 'The script is too long to be said: shorten config.script to 3,900 characters');
  const call = await claim(tools, context, execution);
  if (!call) return { is: 'calling' };
  const statusUrl = statusUrlOf(tools, { ...context.scope, phoneCallId: call.id });
  const started = await context.outside(() => telephony.start({ to: lead.phone as string, twiml, statusUrl }));
  const change = { id: call.id };
  switch (started.outcome) {
    case 'started':
      return { is: 'calling', call: { ...change, callId: started.callId, status: started.status } };
    case 'uncertain':
      return { is: 'calling', call: { ...change, error: started.error } };
    case 'refused':
      return {
        is: 'attempted',
        outcome: failedAttempt(on, { code: 'refused', message: `The provider refuses the call: ${started.error}` }),
        call: { ...change, status: 'failed', error: started.error },
      };
    case 'postponed':
      return call.starts < startsMax
        ? {
            is: 'postponed',
            until: new Date(Date.now() + pauseAfter(call.starts)),
            call: { ...change, status: 'postponed', error: started.error },
          }
        : {
            is: 'attempted',
            outcome: failedAttempt(on, {
              code: 'provider_unavailable',
              message: 'The telephone provider accepts no calls',
            }),
            call: { ...change, status: 'failed', error: started.error },
          };
  }
}

function pauseAfter(starts: number): number {
  return Math.min(pauseMs * 2 ** (starts - 1), pauseMaxMs);
}

/** Stores the call of an attempt before it is started; undefined if the execution was cancelled, or has a call already. */
async function claim(
  { callDeadlineMs, telephony }: Tools,
  { tx, transaction }: LineContext,
  { id: executionId, attempt }: ExecutionRecord,
): Promise<PhoneCallRecord | undefined> {
  return transaction(async () => {
    const [running] = await lockExecutions(tx, [executionId], ['running']);
    if (running === undefined) return undefined;
    const startedAt = new Date();
    const times = { startedAt, deadline: new Date(startedAt.getTime() + callDeadlineMs) };
    const [again] = await tx.phoneCall.updateManyAndReturn({
      where: { executionId, attempt, status: 'postponed' },
      data: { ...times, answeredAt: null, status: 'starting', starts: { increment: 1 } },
    });
    if (again) return again;
    const [created] = await tx.phoneCall.createManyAndReturn({
      data: [{ executionId, attempt, provider: telephony.provider, ...times }],
      skipDuplicates: true,
    });
    return created;
  });
}

/** The call that an earlier run of the job has started for this attempt, or may have. */
export async function findStarted(tx: Tx, { id, attempt }: ExecutionRecord): Promise<PhoneCallRecord | undefined> {
  const row = await tx.phoneCall.findFirst({
    where: { executionId: id, attempt, status: { not: 'postponed' } },
  });
  return row ?? undefined;
}

/** The result of an attempt whose call has ended. */
export function concluded(
  call: PhoneCallRecord,
  on: { agent: AgentRecord; execution: ExecutionRecord; callRetryMs: number },
): Result {
  const { callId, startedAt } = call;
  const durationSeconds = call.durationSeconds ?? 0;
  const ended = { ...outcomeOf(call), durationSeconds, callId, isSimulated: false };
  return { is: 'attempted', outcome: attemptOf(ended, { ...on, startedAt }) };
}

/** Stores what the provider answered, and schedules the check of a call whose end is not reported. */
export async function recordCalls(
  { tx, schedule }: Inside<Tx>,
  { callLookupMs, scope }: Pick<Tools, 'callLookupMs'> & Pick<LineContext, 'scope'>,
  results: readonly Result[],
): Promise<void> {
  for (const result of results) {
    const change = 'call' in result && result.call;
    if (!change) continue;
    const { id, callId = null, status = null, error = null } = change;
    const call = await tx.phoneCall.findFirst({ where: { id } });
    // The person was erased while the provider started the call.
    if (!call && callId) await schedule(hangUpCallJob, [{ callId }]);
    if (!call) continue;
    const isWaiting = await lockWaiting(tx, call);
    const hasEnded = result.is === 'attempted';
    // A report may have come before the answer.
    const [row] = await tx.sql<{ id: number; callId: string | null }>`
      UPDATE phone_call SET call_id = coalesce(call_id, ${callId}::text), error = ${error}::text,
        status = CASE WHEN status = 'starting' THEN coalesce(${status}::text, status) ELSE status END,
        ended_at = CASE WHEN ${hasEnded}::boolean THEN now() END
      WHERE id = ${id} AND ended_at IS NULL RETURNING id, call_id AS "callId"`;
    if (!row || result.is !== 'calling') continue;
    const lookupAt = new Date(call.startedAt.getTime() + callLookupMs);
    const checkAt = row.callId === null ? lookupAt : call.deadline;
    await schedule(checkCallJob, [{ ...scope, phoneCallId: id }], isWaiting ? checkAt : undefined);
  }
}
