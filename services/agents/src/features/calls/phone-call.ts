import type { Seal } from '@tandem/sealed';
import { createLinkTokens } from '@tandem/sealed';
import type { CallState, TelephonyDriver } from '@tandem/telephony';
import { z } from 'zod';
import type { PhoneCall } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { CallOutcome } from '../../telephony.ts';

/** A call of an execution, at a telephone provider. */
export type PhoneCallRecord = PhoneCall;

/** A change of a call, stored at the end of the job that started it. */
export interface CallChange {
  id: number;
  status?: string;
  callId?: string;
  error?: string;
}

/** The call of a report, and where it belongs. */
export const CallKey = z.object({ tenantId: z.int(), environment: z.enum(['live', 'sandbox']), phoneCallId: z.int() });
export type CallKeyValue = z.output<typeof CallKey>;

/** Asks the provider for the state of a call that has not been reported, and hangs up one whose execution is over. */
export const checkCallJob = { name: 'check-call', payload: CallKey };

/** Hangs up a call by its id at the provider. */
export const hangUpCallJob = { name: 'hang-up-call', payload: z.object({ callId: z.string() }) };

// Longer than a call can last and the provider repeats its reports.
const tokenMs = 86_400_000;
const tokensOf = (seal: Seal) => createLinkTokens<CallKeyValue>(seal, 'status of a call');

/** The address at which the provider reports the status of a call. */
export function statusUrlOf({ seal, publicUrl }: Pick<Tools, 'seal' | 'publicUrl'>, key: CallKeyValue): string {
  return statusUrl(publicUrl, tokensOf(seal).issue(key, new Date(Date.now() + tokenMs)));
}

export function statusUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/v1/public/agents/calls/${token}/status`;
}

/** The call of a token; undefined for one that is not valid, or no longer. */
export function callOfToken({ seal }: Pick<Tools, 'seal'>, token: string): CallKeyValue | undefined {
  const key = tokensOf(seal).read(token);
  return key === 'expired' ? undefined : key;
}

/** Whether there is, or may be, a call that has not ended. A postponed one was not started. */
export const openCall = { endedAt: null, status: { not: 'postponed' } } as const;

// Clocks of the provider and ours may differ, and a report takes a moment.
const talkToleranceMs = 60_000;

/** The columns of a call that a person has answered now: from the answer on it lasts as long as the provider allows. */
export function answered(
  { talkSecondsMax }: Pick<TelephonyDriver, 'talkSecondsMax'>,
  { deadline }: Pick<PhoneCallRecord, 'deadline'>,
): { answeredAt: Date; deadline: Date } {
  const now = Date.now();
  const end = now + talkSecondsMax * 1_000 + talkToleranceMs;
  return { answeredAt: new Date(now), deadline: new Date(Math.max(deadline.getTime(), end)) };
}

const messages: Record<string, string> = {
  failed: 'The call could not be connected',
  canceled: 'The call was cancelled at the provider',
};

/** The outcome of a call with this final status. */
export function outcomeOf({ status, durationSeconds }: Pick<CallState, 'durationSeconds'> & { status: string }): {
  outcome: CallOutcome;
  error?: { code: string; message: string };
} {
  if (status === 'completed') return { outcome: durationSeconds === 0 ? 'no_answer' : 'answered' };
  if (status === 'busy') return { outcome: 'busy' };
  if (status === 'no-answer') return { outcome: 'no_answer' };
  return { outcome: 'failed', error: { code: 'failed', message: messages[status] ?? 'The call failed' } };
}

/** The calls of executions that have not ended. */
export async function openCallsOf(tx: Tx, executionIds: readonly number[]): Promise<PhoneCallRecord[]> {
  return tx.phoneCall.findMany({ where: { executionId: { in: [...executionIds] }, ...openCall } });
}

/** The payloads of jobs for these calls. */
export function keysOf(
  calls: readonly PhoneCallRecord[],
  scope: Pick<CallKeyValue, 'tenantId' | 'environment'>,
): CallKeyValue[] {
  return calls.map(({ id }) => ({ ...scope, phoneCallId: id }));
}
