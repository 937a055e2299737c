import { createBreaker, type TripRule } from '@tandem/process';
import { z } from 'zod';
import {
  type CallReport,
  type CallState,
  callStatuses,
  type StartedCall,
  type TelephonyDriver,
  TelephonyUnavailableError,
} from './driver.ts';
import { type Answer, createExchange, type Exchange } from './exchange.ts';
import { maskedError } from './mask.ts';
import type { TelephonySettings } from './settings.ts';
import { isSigned } from './signature.ts';

const provider = 'twilio';
const events = ['initiated', 'ringing', 'answered', 'completed'];
/** How long a call rings, and how long it lasts at most, in seconds. */
const ringSeconds = 30;
const talkSecondsMax = 600;
const listMax = 20;
const trip: TripRule = { failuresInARow: 5 };
const openMs = 30_000;
/**
 * Error codes of Twilio that concern the number: it is invalid, cannot be called, is blocked, is in a country that is not enabled,
 * or is not verified (trial accounts). https://www.twilio.com/docs/api/errors
 */
const finalCodes = new Set([13223, 13224, 13225, 13227, 21211, 21214, 21215, 21216, 21217, 21219]);

const Status = z.enum(callStatuses);
const Seconds = z.coerce.number().int().min(0).max(86_400).nullable().catch(null);
const CallId = z.string().regex(/^[A-Za-z0-9]{1,64}$/);
const Created = z.object({ sid: CallId, status: Status.catch('queued') });
const State = z
  .object({ status: Status, duration: Seconds })
  .transform(({ status, duration }): CallState => ({ status, durationSeconds: duration }));
const Listed = z
  .object({ sid: CallId, status: Status, duration: Seconds, date_created: z.string() })
  .transform(({ sid, status, duration, date_created }) => ({
    callId: sid,
    status,
    durationSeconds: duration,
    createdAt: new Date(date_created),
  }));
const List = z.object({ calls: z.array(Listed).max(listMax) });
const Refusal = z.object({ code: z.number(), message: z.string() }).partial();

/**
 * Makes calls by a provider with Twilio's API: `/2010-04-01/Accounts/{account}/Calls`. The address is a setting of the operator.
 * A circuit breaker lets requests fail fast while the provider is down.
 * @throws Error when only a part of account, token and number is set
 */
export function createTwilioDriver(settings: TelephonySettings): TelephonyDriver {
  const {
    TELEPHONY_BASE_URL: baseUrl,
    TELEPHONY_ACCOUNT_SID: account,
    TELEPHONY_AUTH_TOKEN: token,
    TELEPHONY_FROM: from,
  } = settings;
  const given = [account, token, from].filter((one) => one !== undefined);
  if (given.length > 0 && given.length < 3)
    throw new Error('TELEPHONY_ACCOUNT_SID, TELEPHONY_AUTH_TOKEN and TELEPHONY_FROM must be set together');
  if (account === undefined || token === undefined || from === undefined) return disabled;
  const secrets = [token, account];
  const send = withBreaker(createExchange({ baseUrl, account, token }), secrets);
  const calls = `/2010-04-01/Accounts/${account}/Calls`;
  const pathOf = (callId: string) => `${calls}/${encodeURIComponent(callId)}.json`;
  return {
    provider,
    isEnabled: true,
    talkSecondsMax,
    async start({ to, twiml, statusUrl }) {
      const callback = { StatusCallback: statusUrl, StatusCallbackMethod: 'POST', StatusCallbackEvent: events };
      const limits = { Timeout: String(ringSeconds), TimeLimit: String(talkSecondsMax) };
      const form = { To: to, From: from, Twiml: twiml, ...callback, ...limits };
      return startedOf(await send('POST', `${calls}.json`, form), secrets);
    },
    async find(callId) {
      const answer = await send('GET', pathOf(callId));
      return isUnknown(answer) ? undefined : read(answer, State, secrets);
    },
    async list(to) {
      const query = new URLSearchParams({ To: to, From: from, PageSize: String(listMax) });
      return read(await send('GET', `${calls}.json?${query}`), List, secrets).calls;
    },
    async hangUp(callId) {
      const answer = await send('POST', pathOf(callId), { Status: 'completed' });
      // 400: the call has ended already.
      if (!isUnknown(answer) && !('status' in answer && answer.status === 400)) read(answer, z.unknown(), secrets);
    },
    readReport(url, body, signature) {
      const form = new URLSearchParams(Buffer.from(body).toString('utf8'));
      return isSigned(token, { url, form, signature }) ? reportOf(form) : 'forged';
    },
  };
}

const unavailable = () => {
  throw new TelephonyUnavailableError('No telephone provider is set up');
};

const disabled: TelephonyDriver = {
  provider,
  isEnabled: false,
  talkSecondsMax,
  start: async () => ({ outcome: 'postponed', error: 'No telephone provider is set up' }),
  find: async () => unavailable(),
  list: async () => unavailable(),
  hangUp: async () => unavailable(),
  readReport: () => 'forged',
};

function withBreaker(exchange: Exchange, secrets: readonly string[]): Exchange {
  const breaker = createBreaker({ trip, openMs });
  return async (...request) => {
    if (!breaker.admits()) return { error: 'The provider has failed several times in a row', isSent: false };
    const answer = await exchange(...request);
    if ('error' in answer || answer.status >= 500) breaker.failed();
    else breaker.succeeded();
    return 'error' in answer ? { ...answer, error: maskedError(answer.error, secrets) } : answer;
  };
}

function startedOf(answer: Answer, secrets: readonly string[]): StartedCall {
  if ('error' in answer) return { outcome: answer.isSent ? 'uncertain' : 'postponed', error: answer.error };
  const { status, body } = answer;
  const error = errorOf(answer, secrets);
  if (status >= 200 && status < 300) {
    const { data: call } = Created.safeParse(body);
    return call
      ? { outcome: 'started', callId: call.sid, status: call.status }
      : { outcome: 'uncertain', error: 'The response has no call' };
  }
  // A failure of the provider, or of a proxy before it, may come after the call was accepted.
  if (status >= 500) return { outcome: 'uncertain', error };
  const isFinal = status >= 400 && status < 500 && finalCodes.has(Refusal.safeParse(body).data?.code ?? 0);
  return { outcome: isFinal ? 'refused' : 'postponed', error };
}

/** The message of the provider names the number that was called. */
function errorOf({ status, body }: { status: number; body: unknown }, secrets: readonly string[]): string {
  const { code, message } = Refusal.safeParse(body).data ?? {};
  return [status, code, message && maskedError(message, secrets)].filter(Boolean).join(' ');
}

function isUnknown(answer: Answer): boolean {
  return 'status' in answer && answer.status === 404;
}

function read<Schema extends z.ZodType>(answer: Answer, schema: Schema, secrets: readonly string[]): z.output<Schema> {
  if ('error' in answer) throw new TelephonyUnavailableError(answer.error);
  const parsed = schema.safeParse(answer.body);
  if (answer.status < 200 || answer.status >= 300 || !parsed.success)
    throw new TelephonyUnavailableError(errorOf(answer, secrets));
  return parsed.data;
}

// Reports of a call without a number, in the order in which its statuses follow one another.
const order: Partial<Record<string, number>> = { queued: 0, initiated: 0, ringing: 1, 'in-progress': 2 };
const lastOrder = 3;
const Report = z.object({
  CallSid: CallId,
  CallStatus: Status,
  CallDuration: Seconds,
  SequenceNumber: z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
});

function reportOf(form: URLSearchParams): CallReport | undefined {
  const { data } = Report.safeParse(Object.fromEntries(form));
  if (!data) return undefined;
  const { CallSid: callId, CallStatus: status, CallDuration: durationSeconds, SequenceNumber } = data;
  return { callId, status, durationSeconds, sequence: SequenceNumber ?? order[status] ?? lastOrder };
}
