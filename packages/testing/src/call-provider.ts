import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * The course of a call: it ends with this status. `early`: it is completed, and its reports are sent before the response. `held`: it
 * rings until the test goes on. `invalid`: the provider refuses the number. `lost`: it is accepted, and the connection breaks before
 * the response. `silent`: it is accepted, and no response is sent. A number: the request fails with this status, and there is no call.
 */
export type CallScript =
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'
  | 'canceled'
  | 'early'
  | 'held'
  | 'invalid'
  | 'lost'
  | 'silent'
  | number;

export interface ProviderCall {
  sid: string;
  to: string;
  from: string;
  twiml: string;
  statusUrl: string;
  status: string;
  duration: string | null;
  createdAt: Date;
  /** The form of the request. */
  form: URLSearchParams;
}

/** Sends a report to the address that the call named. Resolves to the status of the response. */
export type Deliver = (url: string, form: string, headers: Record<string, string>) => Promise<number>;

/** A telephone provider with Twilio's API, on loopback. */
export interface CallProvider {
  settings: {
    TELEPHONY_BASE_URL: string;
    TELEPHONY_ACCOUNT_SID: string;
    TELEPHONY_AUTH_TOKEN: string;
    TELEPHONY_FROM: string;
  };
  calls: ProviderCall[];
  /** Number of all requests. */
  requests(): number;
  /** The calls to a number follow these scripts in order, and then `completed`. */
  script(to: string, ...scripts: CallScript[]): void;
  /** Answers every request with this status while it is set. */
  down(status: number | undefined): void;
  /** Sends no reports, as if they were lost. */
  mute(isMuted: boolean): void;
  /** Changes a call to a status, without a report. */
  set(call: ProviderCall, status: string, durationSeconds?: number): void;
  /** Sends a signed report of a call. Fields of `changes` are signed too. */
  report(
    call: ProviderCall,
    status: string,
    changes?: { fields?: Record<string, string>; signature?: string; url?: string },
  ): Promise<number>;
  /** The form of a report, and its signature. */
  formOf(call: ProviderCall, status: string): URLSearchParams;
  sign(url: string, form: URLSearchParams): string;
  close(): Promise<void>;
}

const account = 'ACtest';
const token = 'the-auth-token-of-the-test';
const from = '+15005550006';
const talkSeconds = 42;
const sequences: Record<string, number> = { initiated: 0, ringing: 1, 'in-progress': 2 };
const lastSequence = 3;

/**
 * Starts a provider.
 * @param deliver sends reports; by HTTP if it is missing
 */
export async function startCallProvider(deliver: Deliver = post): Promise<CallProvider> {
  const calls: ProviderCall[] = [];
  const scripts = new Map<string, CallScript[]>();
  let requestCount = 0;
  let downStatus: number | undefined;
  let isMuted = false;

  const report: CallProvider['report'] = (call, status, { fields = {}, signature, url = call.statusUrl } = {}) => {
    const form = formOf(call, status, fields);
    return deliver(url, String(form), { 'x-twilio-signature': signature ?? sign(url, form) });
  };

  const set: CallProvider['set'] = (call, status, durationSeconds = status === 'completed' ? talkSeconds : 0) => {
    call.status = status;
    if (!(status in sequences)) call.duration = String(durationSeconds);
  };

  /** Runs through the statuses of a call. */
  async function go(call: ProviderCall, end: string): Promise<void> {
    const answered = end === 'completed' ? ['in-progress'] : [];
    const steps = end === 'held' ? ['initiated', 'ringing'] : ['initiated', 'ringing', ...answered, end];
    for (const status of steps) {
      set(call, status);
      if (!isMuted) await report(call, status).catch(() => undefined);
    }
  }

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const to = form.get('To') ?? '';
    const script = scripts.get(to)?.shift() ?? 'completed';
    if (typeof script === 'number') return reply(response, script, { code: 20_000 + script, message: 'Refused' });
    if (script === 'invalid' || !/^\+[1-9]\d{6,14}$/.test(to))
      return reply(response, 400, {
        code: 21_211,
        message: `Invalid 'To' Phone Number: ${to}`,
        more_info: 'https://www.twilio.com/docs/errors/21211',
      });
    const call: ProviderCall = {
      sid: `CA${randomBytes(16).toString('hex')}`,
      to,
      from: form.get('From') ?? '',
      twiml: form.get('Twiml') ?? '',
      statusUrl: form.get('StatusCallback') ?? '',
      status: 'queued',
      duration: null,
      createdAt: new Date(),
      form,
    };
    calls.push(call);
    if (script === 'lost') return void request.socket.destroy();
    if (script === 'silent') return;
    if (script === 'early') await go(call, 'completed');
    reply(response, 201, shown(call));
    if (script !== 'early') await go(call, script);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requestCount++;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const expected = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
    if (downStatus !== undefined) return reply(response, downStatus, { message: 'Not available' });
    if (request.headers.authorization !== expected) return reply(response, 401, { code: 20_003 });
    const root = `/2010-04-01/Accounts/${account}/Calls`;
    if (pathname === `${root}.json`) {
      if (request.method === 'POST') return create(request, response);
      const found = calls.filter(({ to }) => to === searchParams.get('To'));
      return reply(response, 200, { calls: found.toReversed().map(shown) });
    }
    const call = calls.find(({ sid }) => pathname === `${root}/${sid}.json`);
    if (!call) return reply(response, 404, { code: 20_404, message: 'Not found' });
    if (request.method === 'POST') {
      const status = new URLSearchParams(await text(request)).get('Status') ?? '';
      if (!(call.status in sequences) && call.status !== 'queued') return reply(response, 400, { code: 21_220 });
      set(call, status, 0);
      reply(response, 200, shown(call));
      if (!isMuted) await report(call, status).catch(() => undefined);
      return;
    }
    reply(response, 200, shown(call));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    settings: {
      TELEPHONY_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TELEPHONY_ACCOUNT_SID: account,
      TELEPHONY_AUTH_TOKEN: token,
      TELEPHONY_FROM: from,
    },
    calls,
    requests: () => requestCount,
    script: (to, ...next) => void scripts.set(to, next),
    down(status) {
      downStatus = status;
    },
    mute(next) {
      isMuted = next;
    },
    set,
    report,
    formOf,
    sign,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function formOf(call: ProviderCall, status: string, fields: Record<string, string> = {}): URLSearchParams {
  const isOver = !(status in sequences);
  return new URLSearchParams({
    ...{ AccountSid: account, CallSid: call.sid, CallStatus: status, To: call.to, From: call.from },
    ...(isOver && { CallDuration: status === 'completed' ? String(talkSeconds) : '0' }),
    ...{ SequenceNumber: String(sequences[status] ?? lastSequence), ...fields },
  });
}

function sign(url: string, form: URLSearchParams): string {
  const pairs = [...form].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHmac('sha1', token)
    .update(url + pairs.flat().join(''))
    .digest('base64');
}

async function post(url: string, form: string, headers: Record<string, string>): Promise<number> {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(url, { method: 'POST', body: form, headers: { ...type, ...headers } });
  return response.status;
}

function shown({ sid, to, from: caller, status, duration, createdAt }: ProviderCall): object {
  const created = createdAt.toUTCString().replace('GMT', '+0000');
  return { sid, to, from: caller, status, duration, date_created: created };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
