import { randomUUID } from 'node:crypto';
import { apiLogs, internalApiCalls, lineOfCall, type ReportedCall } from '@tandem/integrations-contract';
import { everyOperation } from '@tandem/testing';
import type { z } from 'zod';
import { type Api, closingReceivers, type Integrations, startIntegrations } from '../../testing.ts';

let service: Integrations;
const receiver = closingReceivers();
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service.close());

everyOperation(apiLogs, () => service as never);

type Reported = z.input<typeof ReportedCall>;
const gateway = {
  type: 'system' as const,
  name: 'gateway',
  environment: 'live' as const,
  permissions: [],
  requestId: 'gateway',
};

/** One call as the gateway reports it: a frame with its bodies. */
function frame(
  { caller }: Api,
  fields: Partial<Reported> = {},
  bodies: { request?: string; response?: string } = {},
): string {
  const part = (body: string | undefined) =>
    body === undefined ? null : { length: body.length, bytes: Buffer.byteLength(body) };
  const call: Reported = {
    tenantId: caller.tenantId as number,
    environment: caller.environment,
    at: Date.now(),
    sequence: 0,
    requestId: `req_${randomUUID()}`,
    method: 'GET',
    path: '/v1/leads',
    route: '/v1/leads',
    query: null,
    status: 200,
    durationMs: 12,
    ip: '203.0.113.7',
    keyId: 9,
    userId: 5,
    errorCode: null,
    ...fields,
    request: part(bodies.request),
    response: part(bodies.response),
  };
  return `${lineOfCall(call)}\n${bodies.request ?? ''}${bodies.response ?? ''}`;
}

const report = async (...frames: string[]) =>
  service.send(
    internalApiCalls.recordApiCalls,
    { raw: { content: frames.join(''), type: 'application/octet-stream' } },
    gateway,
  );
const listed = async (api: Api, query: Record<string, string> = {}) => (await api.listApiLogs({ query })).data;

describe('a reported call', () => {
  it('is found by its request id, with its bodies', async () => {
    const api = service.as();
    const at = Date.now() - 60_000;
    const bodies = { request: '{"name":"Žofie"}\n', response: '{"success":true}' };
    const call = { at, requestId: 'req_one_call', method: 'POST', status: 201, query: 'limit=20', durationMs: 7 };
    expect((await report(frame(api, call, bodies), frame(api))).data).toEqual({ stored: 2 });
    const { data } = await api.getApiLog({ params: { requestId: 'req_one_call' } });
    expect(data).toEqual({
      id: expect.any(String),
      requestId: 'req_one_call',
      direction: 'inbound',
      environment: 'live',
      method: 'POST',
      host: null,
      path: '/v1/leads',
      route: '/v1/leads',
      query: 'limit=20',
      status: 201,
      errorCode: null,
      durationMs: 7,
      ip: '203.0.113.7',
      keyId: '9',
      actingUserId: '5',
      requestBytes: 18,
      responseBytes: 16,
      requestBody: bodies.request,
      responseBody: bodies.response,
      createdAt: new Date(at).toISOString(),
    });
    const [newest, older] = await listed(api);
    expect([newest.requestId === 'req_one_call', older.requestId]).toEqual([false, 'req_one_call']);
    expect(older).not.toHaveProperty('requestBody');
  });

  it('is stored once when the batch is repeated, and twice when a client repeats the request id', async () => {
    const api = service.as();
    const at = Date.now();
    const same = { at, requestId: 'req_of_client' };
    const batch = [frame(api, { ...same, sequence: 1 }), frame(api, { ...same, sequence: 2 })];
    expect((await report(...batch)).data).toEqual({ stored: 2 });
    expect((await report(...batch)).data).toEqual({ stored: 0 });
    await report(frame(api, { ...same, at: at + 5, status: 404 }));
    expect((await api.getApiLog({ params: { requestId: 'req_of_client' } })).data.status).toBe(404);
    expect(await listed(api, { requestId: 'req_of_client' })).toHaveLength(3);
  });

  it('belongs to its tenant and environment', async () => {
    const api = service.as();
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    const other = service.as();
    const requestId = 'req_of_tenant';
    await report(frame(api, { requestId }), frame(sandbox, { status: 404 }), frame(other, { status: 500 }));
    expect((await listed(api)).map(({ status }: { status: number }) => status)).toEqual([200]);
    expect((await listed(sandbox)).map(({ status }: { status: number }) => status)).toEqual([404]);
    for (const foreign of [sandbox, other])
      expect((await foreign.getApiLog({ params: { requestId } })).status).toBe(404);
  });

  it('is found by each filter', async () => {
    const api = service.as();
    const at = Date.now() - 1_000;
    await report(
      frame(api, { at, requestId: 'req_slow_call', durationMs: 2_500, keyId: null, userId: 6 }),
      frame(api, { at: at - 1, requestId: 'req_of_lead', path: '/v1/leads/abc', route: '/v1/leads/:id', status: 404 }),
      frame(api, { at: at - 2, requestId: 'req_deleted', method: 'DELETE', status: 409, errorCode: 'conflict' }),
    );
    const found = async (query: Record<string, string>) =>
      (await listed(api, query)).map(({ requestId }: { requestId: string }) => requestId);
    expect(await found({ minDurationMs: '1000' })).toEqual(['req_slow_call']);
    expect(await found({ keyId: '9' })).toEqual(['req_of_lead', 'req_deleted']);
    expect(await found({ actingUserId: '6' })).toEqual(['req_slow_call']);
    expect(await found({ method: 'DELETE' })).toEqual(['req_deleted']);
    expect(await found({ path: '/v1/leads/abc' })).toEqual(['req_of_lead']);
    expect(await found({ path: '/v1/leads/:id' })).toEqual(['req_of_lead']);
    expect(await found({ status: '404' })).toEqual(['req_of_lead']);
    expect(await found({ status: '4xx' })).toEqual(['req_of_lead', 'req_deleted']);
    expect(await found({ from: new Date(at).toISOString() })).toEqual(['req_slow_call']);
    expect(await found({ to: new Date(at - 2).toISOString() })).toEqual(['req_deleted']);
    expect(await found({ direction: 'outbound' })).toEqual([]);
    const page = await api.listApiLogs({ query: { limit: '2' } });
    const next = { limit: '2', cursor: page.body.pagination?.nextCursor as string };
    expect(await found(next)).toEqual(['req_deleted']);
    expect((await api.listApiLogs({ query: { status: '6xx' } })).status).toBe(422);
  });

  it('of a gateway whose clock is wrong is left out, and does not prevent others', async () => {
    const api = service.as();
    const day = 86_400_000;
    const calls = [frame(api, { at: Date.now() - 40 * day }), frame(api), frame(api, { at: Date.now() + 40 * day })];
    expect((await report(...calls)).data).toEqual({ stored: 1 });
  });

  it('of a removed tenant is dropped', async () => {
    const [api, kept] = [service.as(), service.as()];
    await service.sqlWithin(api.caller, `INSERT INTO platform.tenant_state (state, version) VALUES ('removed', 9)`);
    expect((await report(frame(api), frame(kept))).data).toEqual({ stored: 1 });
  });

  it('is refused with its batch when a frame is malformed', async () => {
    const api = service.as();
    const broken = frame(api, {}, { response: '{"success":true}' }).slice(0, -1);
    expect((await report(frame(api), broken)).status).toBe(400);
    expect((await report(frame(api), '{"at":1}')).status).toBe(400);
    expect(await listed(api)).toEqual([]);
  });
});

it('has the test requests to webhooks as outbound calls, without tokens in their addresses', async () => {
  const api = service.as({ requestId: 'req_of_a_test' });
  const hook = await receiver(201);
  const { data: webhook } = await api.createWebhook({
    body: { url: `${hook.url}/c2VjcmV0LXRva2VuLW9mLXRoZS1ob29r?token=secret`, events: ['lead.created'] },
  });
  await api.testWebhook({ params: { id: webhook.id } });
  await report(frame(api, { requestId: 'req_of_a_test', route: '/v1/integrations/webhooks/:id/test' }));
  const outbound = (await api.getApiLog({ params: { requestId: 'req_of_a_test' }, query: { direction: 'outbound' } }))
    .data;
  expect(outbound).toMatchObject({
    direction: 'outbound',
    method: 'POST',
    host: new URL(hook.url).host,
    path: '/hook/***',
    query: null,
    status: 201,
    errorCode: null,
    requestBody: hook.requests[0]?.body.toString(),
  });
  const { data } = await api.getApiLog({ params: { requestId: 'req_of_a_test' } });
  expect(data.direction).toBe('inbound');
  expect(await listed(api, { requestId: 'req_of_a_test' })).toHaveLength(2);
});

describe('days', () => {
  const partitions = async () =>
    (await service.sql(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'public.api_log'::regclass ORDER BY 1`,
    )) as { name: string }[];

  it('have a partition ahead of time, and lose it after 30 days', async () => {
    const api = service.as();
    await report(frame(api));
    expect((await partitions()).length).toBeGreaterThanOrEqual(4);
    await service.housekeep();
    expect(await listed(api)).toHaveLength(1);
    // As two days after tomorrow with a retention of none: the partitions of all days until then are dropped.
    await service.sql(`SELECT public.maintain_api_log_partitions(3, -2)`);
    expect(await listed(api)).toEqual([]);
  });
});
