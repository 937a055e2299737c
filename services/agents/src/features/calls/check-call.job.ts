import { type GiveUpContext, type JobContext, job } from '@tandem/jobs';
import { type CallState, endedStatuses, TelephonyUnavailableError } from '@tandem/telephony';
import type { Tools, Tx } from '../../handler.ts';
import type { EndedCall } from '../../telephony.ts';
import { type CallTransaction, endCall } from './end-call.ts';
import { answered, type CallKeyValue, checkCallJob, outcomeOf, type PhoneCallRecord } from './phone-call.ts';

type Context = JobContext<CallKeyValue, Tx>;

const againMs = 60_000;
// How long after the deadline the provider is asked while it is unavailable.
const graceMs = 10 * 60_000;
// Clocks of the provider and ours may differ.
const clockToleranceMs = 60_000;
// The time limit of the request that starts a call.
const requestMs = 10_000;

/** The answer of the provider about a call. `unclear`: it cannot be asked now, or its answer may be about another call. */
type Known = ({ is: 'known'; callId: string } & CallState) | { is: 'none' } | { is: 'unclear' };

/** Ends calls whose end was not reported, and hangs up those whose execution is over or that take too long. */
export const checkCall = (tools: Tools) =>
  job({
    ...checkCallJob,
    whileSuspended: true,
    async run(context: Context) {
      const { payload, tx, finish } = context;
      const call = await tx.phoneCall.findFirst({ where: { id: payload.phoneCallId, endedAt: null } });
      if (!call) return;
      // The request that starts it may still be answered.
      const lookupAt = new Date(call.startedAt.getTime() + tools.callLookupMs);
      if (call.callId === null && lookupAt > new Date()) return finish(async () => lookupAt);
      const isWaiting = (await tx.execution.count({ where: waitingFor(call) })) > 0;
      const checked = { call, isWaiting, isLate: call.deadline <= new Date() };
      const known = await ask(tools, context, checked);
      await finish((inside) => conclude(inside, tools, { key: payload, ...checked, known }));
    },
    // Otherwise the execution would stay in status running.
    async giveUp({ payload, ...transaction }: GiveUpContext<CallKeyValue, Tx>) {
      const call = await transaction.tx.phoneCall.findFirst({ where: { id: payload.phoneCallId } });
      if (call) await end(transaction, tools, { key: payload, call, status: 'unknown', ended: timedOut });
    },
  });

const waitingFor = ({ executionId: id, attempt }: PhoneCallRecord) => ({ id, attempt, status: 'running' });

const noOutcome = { outcome: 'failed', durationSeconds: 0 } as const;
const timedOut = { ...noOutcome, error: { code: 'timed_out', message: 'The call did not end in time' } };
const notPlaced = { ...noOutcome, error: { code: 'not_placed', message: 'The provider did not place the call' } };

interface Checked {
  call: PhoneCallRecord;
  /** Whether the execution waits for the end of the call. */
  isWaiting: boolean;
  /** Whether the call takes too long. */
  isLate: boolean;
}

/** Asks for the call, and hangs it up if nobody waits for it or it takes too long. */
async function ask(tools: Tools, context: Context, { call, isWaiting, isLate }: Checked): Promise<Known> {
  try {
    const known = await context.outside(() => find(tools, context, call));
    const isGoing = known.is === 'known' && !endedStatuses.has(known.status);
    // By a stored id only: a call that was found by its number may belong to another tenant.
    if (isGoing && call.callId !== null && (!isWaiting || (isLate && !isNewlyAnswered(call, known.status))))
      await context.outside(() => tools.telephony.hangUp(known.callId));
    return known;
  } catch (error) {
    if (error instanceof TelephonyUnavailableError) return { is: 'unclear' };
    throw error;
  }
}

/** Whether the person has answered, and no report has shown it: the call may have waited at the provider before it rang. */
function isNewlyAnswered({ answeredAt }: PhoneCallRecord, status: string): boolean {
  return status === 'in-progress' && answeredAt === null;
}

async function find(tools: Tools, context: Context, call: PhoneCallRecord): Promise<Known> {
  const { callId } = call;
  if (callId === null) return findByNumber(tools, context, call);
  const state = await tools.telephony.find(callId);
  return state ? { is: 'known', callId, ...state } : { is: 'none' };
}

/**
 * Finds a call whose id is unknown because the answer of the provider was lost. The provider keeps nothing of ours with a call but
 * the address for reports, which it does not show: the call is the one to the number of the lead that began then and belongs to
 * no other attempt.
 */
async function findByNumber(
  { crm, telephony }: Tools,
  { scope, tx, attempts }: Context,
  { id, executionId, startedAt }: PhoneCallRecord,
): Promise<Known> {
  const execution = await tx.execution.findFirst({ where: { id: executionId } });
  const as = { ...scope, requestId: `call_${id}` };
  const [lead] = execution ? await crm.findLeads({ body: { ids: [execution.leadId] }, as }) : [];
  if (!lead?.phone) return { is: 'unclear' };
  const since = startedAt.getTime() - clockToleranceMs;
  const until = startedAt.getTime() + requestMs + clockToleranceMs;
  const listed = (await telephony.list(lead.phone)).filter(({ createdAt }) => {
    const at = createdAt.getTime();
    return at >= since && at <= until;
  });
  const ids = listed.map(({ callId }) => callId);
  const others = await tx.phoneCall.findMany({ where: { id: { not: id }, callId: { in: ids } } });
  const taken = new Set(others.map(({ callId }) => callId));
  const [found, ...more] = listed.filter(({ callId }) => !taken.has(callId));
  if (!found) return { is: 'none' };
  // A repeated run: the call belongs to another tenant, so that its id could not be stored here.
  if (more.length || attempts > 0) return { is: 'unclear' };
  const { callId, status, durationSeconds } = found;
  return { is: 'known', callId, status, durationSeconds };
}

/** Stores what is known. Returns when to check again. */
async function conclude(
  inside: CallTransaction,
  tools: Tools,
  { key, call, isWaiting, isLate, known }: Checked & { key: CallKeyValue; known: Known },
): Promise<Date | undefined> {
  // A report has named the call meanwhile.
  const stored = await inside.tx.phoneCall.findFirst({ where: { id: call.id } });
  if (stored?.callId !== call.callId) return new Date();
  const to = (status: string, ended: Ended) => end(inside, tools, { key, call, status, ended });
  if (known.is === 'unclear') {
    if (Date.now() < call.deadline.getTime() + graceMs) return new Date(Date.now() + againMs);
    return to('unknown', timedOut);
  }
  if (known.is === 'none') return to('failed', call.callId === null ? notPlaced : timedOut);
  const { callId, status, durationSeconds } = known;
  if (endedStatuses.has(status))
    return to(status, { ...outcomeOf(known), durationSeconds: durationSeconds ?? 0, callId });
  const answer = isNewlyAnswered(call, status) ? answered(tools.telephony, call) : undefined;
  const isInTime = isWaiting && (!isLate || answer !== undefined);
  if (isInTime || call.callId === null) {
    const data = { callId, status, ...answer };
    await inside.tx.phoneCall.updateMany({ where: { id: call.id, endedAt: null }, data });
    return isInTime ? (answer?.deadline ?? call.deadline) : new Date();
  }
  // Somebody talks, so another call would not be welcome.
  if (status === 'in-progress')
    return to('canceled', { outcome: 'answered', durationSeconds: durationSeconds ?? 0, callId });
  return to('canceled', { ...timedOut, callId });
}

type Ended = Omit<EndedCall, 'isSimulated'>;

async function end(
  inside: CallTransaction,
  tools: Tools,
  on: { key: CallKeyValue; call: PhoneCallRecord; status: string; ended: Ended },
): Promise<undefined> {
  await endCall(inside, tools, on);
}
