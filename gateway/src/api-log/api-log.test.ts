import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createApiKey } from '@tandem/api-keys';
import { media, operations, secret, signedIn } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { type ReceivedCall, readApiCalls } from '@tandem/integrations-contract';
import { createLog, createMetrics } from '@tandem/process';
import { until } from '@tandem/testing';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { startTestGateway, type TestGateway, testAlphabet, testPrincipal } from '../testing.ts';
import { createApiLog, RefusedBatchError } from './api-log.ts';

const log = createLog('test', 'silent');
const text = z.string();
const Thing = z.object({ name: text, token: secret(text) });
const row = { permission: 'leads:write', summary: 'Things', message: '' } as const;
const rows = operations({
  listThings: {
    ...row,
    method: 'GET',
    path: '/v1/leads',
    query: z.object({ limit: text.optional() }),
    reply: Thing.omit({ token: true }),
  },
  createThing: { ...row, method: 'POST', path: '/v1/leads', body: Thing.partial(), reply: Thing, emits: [] },
  uploadThing: {
    ...row,
    method: 'POST',
    path: '/v1/leads/files',
    form: z.object({ name: text.optional() }),
    reply: z.object({}),
    emits: [],
  },
  downloadThing: { ...row, method: 'GET', path: '/v1/leads/file', reply: media('application/json') },
  openThing: {
    method: 'GET',
    path: '/v1/leads/open',
    audience: 'public',
    summary: '',
    reply: z.object({}),
    message: '',
  },
  readOwn: { ...row, permission: signedIn, method: 'GET', path: '/v1/leads/own', reply: z.object({}) },
});

describe('the gateway', () => {
  let gateway: TestGateway;
  let logged: ReceivedCall[];
  let respond: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
  const { key } = createApiKey('sandbox');
  const principal = { ...testPrincipal, environment: 'sandbox', permissions: ['leads:write'] };

  beforeEach(async () => {
    logged = [];
    respond = (_, response) => response.writeHead(200).end('{"success":true,"data":{}}');
    gateway = await startTestGateway({ identity: rows, integrations: {} }, async (request, response) => {
      const body = await buffer(request);
      const send = (content: unknown) => response.writeHead(200).end(JSON.stringify(content));
      if (request.url === '/internal/keys/resolve') return send({ data: principal });
      if (request.url === '/internal/api-calls/record') {
        logged.push(...readApiCalls(body));
        return send({ data: { stored: 1 } });
      }
      if (!request.url?.startsWith('/v1/')) return send({ data: { calls: 0, recorded: [] } });
      respond(request, response, body);
    });
  });
  afterEach(() => gateway.close());

  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${gateway.base}${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } });
    return { status: response.status, text: await response.text(), id: response.headers.get('x-request-id') };
  };
  const post = (body: unknown, headers = {}) =>
    call('/v1/leads', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const one = (id: string | null) =>
    until('the call is logged', () => logged.find(({ requestId }) => requestId === id));

  it('reports a call with its caller, operation and bodies', async () => {
    const target = createIdCodec(testAlphabet).encode('user', 7, 6);
    const answer = '{"success":true,"data":{"name":"Ada"}}';
    respond = (_, response) => response.writeHead(201, { 'content-type': 'application/json' }).end(answer);
    const before = Date.now();
    const { id } = await post({ name: 'Ada' }, { 'x-request-id': 'req_of_client' });
    expect(await one(id)).toEqual({
      tenantId: 7,
      environment: 'sandbox',
      at: expect.any(Number),
      sequence: expect.any(Number),
      requestId: 'req_of_client',
      method: 'POST',
      path: '/v1/leads',
      route: '/v1/leads',
      query: null,
      status: 201,
      durationMs: expect.any(Number),
      ip: '127.0.0.1',
      keyId: 9,
      userId: 5,
      errorCode: null,
      request: { length: 14, bytes: 14 },
      response: { length: answer.length, bytes: answer.length },
      requestBody: '{"name":"Ada"}',
      responseBody: answer,
    });
    const { at } = logged[0] as ReceivedCall;
    expect([at >= before - 1, at <= Date.now()]).toEqual([true, true]);
    const refused = await one((await post({}, { 'x-on-behalf-of': target })).id);
    expect(refused).toMatchObject({ status: 403, errorCode: 'forbidden', userId: 5 });
  });

  it('reports errors of the gateway and of services, and nothing without known credentials', async () => {
    respond = (_, response) => response.writeHead(404).end('{"success":false,"code":"not_found","message":"No"}');
    const ofService = await call('/v1/leads');
    const ofGateway = await post('{"name":');
    const open = await call('/v1/leads/open');
    const unknown = await call('/v1/leads', { headers: { 'x-api-key': 'wrong' } });
    expect(await one(ofService.id)).toMatchObject({ status: 404, errorCode: 'not_found' });
    expect(await one(ofGateway.id)).toMatchObject({ status: 400, errorCode: 'malformed_json', requestBody: null });
    await one((await call('/v1/leads')).id);
    expect(logged.filter(({ requestId }) => requestId === open.id || requestId === unknown.id)).toEqual([]);
  });

  it('reports no secret: not in bodies, unknown fields, queries, paths or headers', async () => {
    const word = 'SECRETVALUE';
    respond = (request, response) => {
      const data = { name: 'Ada', ...(request.method === 'POST' && { token: word }) };
      response.writeHead(200).end(JSON.stringify({ success: true, data }));
    };
    const ids = [
      (await post({ name: 'Ada', token: word })).id,
      (await post({ name: 'Ada', Password: word, more: { clientSecret: word } })).id,
      (await post(`{"pass\\u0077ord":"${word}","name":"Ada"}`)).id,
      (await call(`/v1/leads?limit=5&api_key=${word}`)).id,
      (await call(`/v1/leads/own`, { headers: { authorization: `Bearer ${word}` } })).id,
    ];
    for (const id of ids.slice(0, 4)) await one(id);
    expect(JSON.stringify(logged)).not.toContain(word);
    expect((await one(ids[0] as string)).requestBody).toBe('{"name":"Ada","token":"[redacted]"}');
    expect((await one(ids[1] as string)).requestBody).toBe(
      '{"name":"Ada","Password":"[redacted]","more":{"clientSecret":"[redacted]"}}',
    );
    expect((await one(ids[0] as string)).responseBody).toBe(
      '{"success":true,"data":{"name":"Ada","token":"[redacted]"}}',
    );
    expect((await one(ids[3] as string)).query).toBe('limit=5');
  });

  it('cuts bodies after 8 KiB at a character, and leaves out those that it cannot redact', async () => {
    const long = 'ž'.repeat(6_000);
    respond = (_, response) => response.writeHead(200).end(`{"success":true,"data":{"name":"${long}"}}`);
    const listed = await one((await call('/v1/leads')).id);
    expect(Buffer.byteLength(listed.responseBody as string)).toBeLessThanOrEqual(8_192);
    expect(listed.responseBody).toMatch(/ž$/);
    expect(listed.response?.bytes).toBe(12_000 + '{"success":true,"data":{"name":""}}'.length);
    const created = await one((await post({ name: 'n'.repeat(70_000) })).id);
    expect([created.requestBody, created.status]).toEqual([null, 200]);
  });

  it('reports uploads, downloads and HEAD without bodies, and passes them on whole', async () => {
    const content = '{"a":1}'.repeat(100_000);
    respond = (request, response, body) =>
      request.method === 'POST'
        ? response.writeHead(200).end(JSON.stringify({ success: true, data: {}, bytes: body.length }))
        : response.writeHead(200, { 'content-type': 'application/json' }).end(content);
    const form = new FormData();
    form.append('file', new Blob([content]), 'file.json');
    const up = await call('/v1/leads/files', { method: 'POST', body: form });
    const down = await call('/v1/leads/file');
    expect([JSON.parse(up.text).bytes > content.length, down.text === content]).toEqual([true, true]);
    expect(await one(up.id)).toMatchObject({ method: 'POST', status: 200, requestBody: null });
    expect(await one(down.id)).toMatchObject({ status: 200, requestBody: null, responseBody: null });
    respond = (_, response) => response.writeHead(200).end('{"success":true,"data":{}}');
    expect(await one((await call('/v1/leads', { method: 'HEAD' })).id)).toMatchObject({
      method: 'HEAD',
      responseBody: null,
    });
  });
});

/** A finished request with a body of so many characters. */
const finished = (length = 10, requestId = 'req_12345678') =>
  ({
    auth: { by: 'key', environment: 'live', who: { tenantId: 7, userId: 5, keyId: 9 } },
    route: { pathText: '"/v1/leads"', secrets: { request: [], response: [] }, loggedParameters: new Set() },
    request: { method: 'GET' },
    response: { statusCode: 200 },
    search: '',
    requestId,
    ip: '203.0.113.9',
    sent: 'x'.repeat(length),
  }) as unknown as Exchange;
const about = () => ({ arrivedAt: performance.now(), durationMs: 1, path: '/v1/leads' });

/** An API log whose batches go into `stored`, unless `state.fails` returns an error. */
function collect() {
  const stored: ReceivedCall[][] = [];
  const state: { fails: () => Error | undefined; attempts: number } = { fails: () => undefined, attempts: 0 };
  const metrics = createMetrics('test');
  const apiLog = createApiLog(
    async (batch) => {
      state.attempts++;
      const error = state.fails();
      if (error) throw error;
      stored.push(readApiCalls(batch));
    },
    { log, metrics, everyMs: 5 },
  );
  const dropped = async (reason: string) =>
    Number(
      new RegExp(`api_log_dropped_calls_total\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)`).exec(
        await metrics.text(),
      )?.[1],
    );
  return { apiLog, stored, state, dropped };
}

describe('calls', () => {
  it('are sent in batches of 200, in their order', async () => {
    const { apiLog, stored } = collect();
    for (let number = 0; number < 450; number++) apiLog.add(finished(10, `req_${1000 + number}`), about());
    await apiLog.close();
    expect(stored.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(stored.flat().map(({ requestId }) => requestId)[449]).toBe('req_1449');
  });

  it('wait while integrations does not answer, and are sent once it does', async () => {
    const { apiLog, stored, state, dropped } = collect();
    state.fails = () => (state.attempts < 4 ? new Error('unavailable') : undefined);
    apiLog.add(finished(), about());
    await until('the call is stored', () => stored.length === 1);
    expect([state.attempts, await dropped('unsent')]).toEqual([4, 0]);
    await apiLog.close();
  });

  it('are dropped and counted when a batch is refused, or was sent ten times', async () => {
    const { apiLog, state, dropped } = collect();
    state.fails = () => (state.attempts === 1 ? new RefusedBatchError('malformed') : new Error('unavailable'));
    apiLog.add(finished(), about());
    await until('the call is dropped', async () => (await dropped('unsent')) === 1);
    apiLog.add(finished(), about());
    await until('the call is dropped', async () => (await dropped('unsent')) === 2);
    expect(state.attempts).toBe(11);
    await apiLog.close();
  });

  it('use bounded memory: further ones are dropped and counted', async () => {
    const { apiLog, stored, state, dropped } = collect();
    state.fails = () => new Error('unavailable');
    for (let number = 0; number < 3_000; number++) apiLog.add(finished(8_000), about());
    const lost = await dropped('full');
    // 16 batches of 512 KiB.
    expect(lost).toBeGreaterThan(3_000 - (16 * 512 * 1024) / 8_000);
    expect(lost).toBeLessThan(3_000);
    state.fails = () => undefined;
    await apiLog.close();
    expect(stored.flat().length + (await dropped('full')) + (await dropped('unsent'))).toBe(3_000);
  });
});
