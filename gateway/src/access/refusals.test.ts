import { json } from 'node:stream/consumers';
import { createApiKey } from '@tandem/api-keys';
import { operations, signedIn } from '@tandem/contract';
import { refusalsPerHourMax } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { startTestGateway, type TestGateway, testAlphabet, testPrincipal } from '../testing.ts';
import { createRefusals, type Refusal } from './refusals.ts';

const log = createLog('test', 'error');
const never = 3_600_000;

/** A finished request of a user that was refused. */
const refused = (fields: object = {}, who: object = {}) =>
  ({
    auth: { by: 'user', environment: 'live', who: { tenantId: 7, userId: 5, keyId: null, name: 'Ada', ...who } },
    route: { name: 'DELETE /v1/leads/:id' },
    code: 'forbidden',
    request: { headers: { 'user-agent': 'curl/8' } },
    requestId: 'req_12345678',
    ip: '203.0.113.9',
    ...fields,
  }) as unknown as Exchange;

/** Refusals and the batches that they report; `state.isDown` makes reports fail. */
function collect() {
  const reported: Refusal[][] = [];
  const state = { isDown: false, now: Date.UTC(2026, 10, 30, 12, 30) };
  const report = async (batch: Refusal[]) => {
    if (state.isDown) throw new Error('Identity is unavailable');
    reported.push(batch);
  };
  const open = (everyMs = never) => createRefusals(report, log, { now: () => state.now, everyMs });
  return { reported, state, open };
}

describe('refused calls', () => {
  it('are reported together, with caller and request', async () => {
    const { reported, open } = collect();
    const refusals = open();
    refusals.add(refused());
    refusals.add(refused({ code: 'bad_target_user', actingId: 4 }, { keyId: 9 }));
    await refusals.close();
    expect(reported).toEqual([
      [
        {
          id: expect.any(String),
          at: new Date(Date.UTC(2026, 10, 30, 12, 30)),
          tenantId: 7,
          environment: 'live',
          userId: 5,
          keyId: null,
          onBehalfOf: null,
          name: 'Ada',
          ip: '203.0.113.9',
          userAgent: 'curl/8',
          requestId: 'req_12345678',
          operation: 'DELETE /v1/leads/:id',
          reason: 'forbidden',
        },
        expect.objectContaining({ keyId: 9, onBehalfOf: 4, reason: 'bad_target_user' }),
      ],
    ]);
  });

  it('are those of signed-in callers without permission only', async () => {
    const { reported, open } = collect();
    const refusals = open();
    refusals.add(refused({ code: undefined }));
    refusals.add(refused({ code: 'feature_not_available' }));
    refusals.add(refused({ auth: undefined }));
    refusals.add(refused({ auth: { by: 'portal', who: { tenantId: 7, userId: null } } }));
    await refusals.close();
    expect(reported).toEqual([]);
  });

  it('are reported at most ten times per caller and hour', async () => {
    const { reported, state, open } = collect();
    const refusals = open();
    const addMany = (who: object) => {
      for (let times = 0; times < 2 * refusalsPerHourMax; times++) refusals.add(refused({}, who));
    };
    for (const who of [{}, { keyId: 9 }, { userId: 6 }, { tenantId: 8 }]) addMany(who);
    state.now += 3_600_000 - 1;
    addMany({});
    await refusals.close();
    expect(reported.flat()).toHaveLength(5 * refusalsPerHourMax);
  });

  it('are reported in batches of 100, and 1,000 wait at most', async () => {
    const { reported, open } = collect();
    const refusals = open();
    for (let userId = 1; userId <= 1_200; userId++) refusals.add(refused({}, { userId }));
    await refusals.close();
    expect(reported.map((batch) => batch.length)).toEqual(Array(10).fill(100));
    expect(new Set(reported.flat().map(({ userId }) => userId)).size).toBe(1_000);
  });

  it('wait while identity is unavailable, and keep their ids', async () => {
    const { reported, state, open } = collect();
    state.isDown = true;
    const refusals = open(5);
    refusals.add(refused());
    await refusals.close();
    expect(reported).toEqual([]);
    state.isDown = false;
    await refusals.close();
    expect(reported.flat()).toHaveLength(1);
  });

  it('wait an hour at most', async () => {
    const { reported, state, open } = collect();
    const refusals = open();
    refusals.add(refused());
    state.now += 3_600_000;
    refusals.add(refused({}, { userId: 6 }));
    await refusals.close();
    expect(reported.flat().map(({ userId }) => userId)).toEqual([6]);
  });
});

describe('the gateway', () => {
  const row = { path: '/v1/leads', summary: 'Leads', reply: z.object({}), message: '' } as const;
  const rows = operations({
    listLeads: { ...row, method: 'GET', permission: signedIn },
    createLead: { ...row, method: 'POST', permission: 'leads:write', emits: [] },
  });
  let gateway: TestGateway;
  let reported: Record<string, unknown>[];
  let isDown: boolean;
  beforeEach(async () => {
    reported = [];
    isDown = false;
    gateway = await startTestGateway({ identity: rows }, async (request, response) => {
      const body = request.method === 'POST' ? await json(request).catch(() => undefined) : undefined;
      const send = (status: number, content: unknown) => response.writeHead(status).end(JSON.stringify(content));
      if (request.url === '/internal/keys/resolve')
        return send(200, { data: { ...testPrincipal, permissions: ['leads:read'] } });
      if (request.url === '/v1/leads') return send(403, { code: 'forbidden', message: '', errors: [] });
      if (request.url !== '/internal/refusals/record') return send(200, { data: { calls: 0, recorded: [] } });
      if (isDown) return send(503, {});
      reported.push(...(body as { refusals: Record<string, unknown>[] }).refusals);
      send(200, { data: {} });
    });
  });
  afterEach(() => gateway.close());

  const { key } = createApiKey('live');
  const call = async (method: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${gateway.base}/v1/leads`, { method, headers: { 'x-api-key': key, ...headers } });
    await response.arrayBuffer();
    return response.status;
  };

  it('reports calls refused by itself, by a service, or on behalf of a user', async () => {
    const target = createIdCodec(testAlphabet).encode('user', 7, 6);
    expect(await call('POST', { 'x-request-id': 'req_by_gateway' })).toBe(403);
    expect(await call('GET', { 'x-request-id': 'req_by_service' })).toBe(403);
    expect(await call('GET', { 'x-request-id': 'req_on_behalf', 'x-on-behalf-of': target })).toBe(403);
    await until('the calls are reported', () => reported.length === 3);
    const of = { tenantId: '7', keyId: 9, userId: 5, reason: 'forbidden', environment: 'live' };
    expect(reported).toEqual([
      expect.objectContaining({ ...of, requestId: 'req_by_gateway', operation: 'POST /v1/leads' }),
      expect.objectContaining({ ...of, requestId: 'req_by_service', operation: 'GET /v1/leads' }),
      expect.objectContaining({ ...of, requestId: 'req_on_behalf', operation: 'GET /v1/leads' }),
    ]);
  });

  it('refuses calls while identity is unavailable, and reports them later', async () => {
    isDown = true;
    expect(await call('POST')).toBe(403);
    expect(await call('POST')).toBe(403);
    isDown = false;
    await until('the calls are reported', () => reported.length === 2);
  });
});
