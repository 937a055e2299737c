import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createApiKey } from '@tandem/api-keys';
import { createCallerSigner } from '@tandem/caller';
import { id, operations, PerformedCall } from '@tandem/contract';
import { createIdCodec } from '@tandem/ids';
import { z } from 'zod';
import { startTestGateway, type TestGateway, testAlphabet, testPrincipal } from './testing.ts';

const Lead = z.object({ id: id('lead') });
const params = z.object({ id: id('notification'), actionId: z.string() });
const shared = { summary: '', message: '', emits: [] } as const;
const services = {
  identity: operations({
    press: {
      ...shared,
      method: 'POST',
      path: '/v1/notifications/:id/actions/:actionId',
      permission: 'notifications:read',
      performs: '/internal/notifications/:id/actions/:actionId',
      params,
      reply: z.object({ id: id('notification') }),
    },
    find: {
      summary: '',
      message: '',
      method: 'GET',
      path: '/internal/notifications/:id/actions/:actionId',
      audience: 'internal',
      params,
      reply: PerformedCall,
    },
  }),
  crm: operations({
    assign: {
      ...shared,
      method: 'POST',
      path: '/v1/leads/:id/assign',
      permission: 'leads:write',
      params: z.object({ id: id('lead') }),
      body: z.object({ userId: id('user'), note: z.string().optional() }),
      reply: Lead,
    },
    invite: {
      ...shared,
      method: 'POST',
      path: '/v1/users/:id/invite',
      permission: 'users:write',
      params: z.object({ id: id('user') }),
      reply: Lead,
    },
  }),
};

const ids = createIdCodec(testAlphabet);
const secrets = `k1:${randomBytes(32).toString('hex')}`;
const signer = createCallerSigner(secrets);
const lead = ids.encode('lead', 7, 3);
const call = {
  path: `/v1/leads/${lead}/assign`,
  body: { userId: ids.encode('user', 7, 5) },
  idempotencyKey: 'of-the-button',
  environment: 'live',
};

interface Seen {
  path: string;
  caller: ReturnType<typeof signer.verify>;
  key: string | undefined;
  body: unknown;
}
let gateway: TestGateway;
let seen: Seen[];
let found: { status: number; data: unknown };
let outcome: { status: number; code?: string };
let permissions: string[];

beforeAll(async () => {
  gateway = await startTestGateway(services, (request, response) => void respond(request, response), {
    INTERNAL_SECRETS: secrets,
  });
});
afterAll(() => gateway?.close());
beforeEach(() => {
  seen = [];
  found = { status: 200, data: { call } };
  outcome = { status: 200 };
  permissions = ['*'];
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url as string;
  const text = (await request.toArray()).join('');
  const json = (value: unknown, status = 200) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (path === '/internal/keys/resolve') return json({ data: { ...testPrincipal, permissions } });
  if (path === '/internal/usage/read') return json({ data: { calls: 0, recorded: [] } });
  if (path === '/internal/refusals/record') return json({ data: {} });
  const caller = signer.verify(request.headers['x-ctx'] as string, request.method as string, path);
  const key = request.headers['idempotency-key'] as string | undefined;
  seen.push({ path, caller, key, body: text ? JSON.parse(text) : undefined });
  if (path.startsWith('/internal/')) return json({ data: found.data, code: 'refused' }, found.status);
  if (path.startsWith('/v1/leads/')) return json({ data: { id: '3' }, code: outcome.code }, outcome.status);
  json({ success: true, status: 200, data: { id: '9' }, meta: {} });
}

async function press() {
  const response = await fetch(`${gateway.base}/v1/notifications/${ids.encode('notification', 7, 9)}/actions/go`, {
    method: 'POST',
    headers: { 'x-api-key': createApiKey('live').key },
  });
  return response.status;
}
const performed = () => seen.at(-1)?.caller?.performed;

it('makes the call that the service names, as the caller, before it forwards the request with the result', async () => {
  expect(await press()).toBe(200);
  expect(seen.map(({ path, key, body }) => [path, key, body])).toEqual([
    ['/internal/notifications/9/actions/go', undefined, undefined],
    ['/v1/leads/3/assign', 'of-the-button', { userId: '5' }],
    ['/v1/notifications/9/actions/go', undefined, undefined],
  ]);
  expect(seen.map(({ caller }) => [caller?.type, caller?.userId])).toEqual([
    ['system', 5],
    ['key', 5],
    ['key', 5],
  ]);
  expect(performed()).toEqual({ status: 200 });
});

it.each([
  [404, 'not_found'],
  [409, 'idempotency_running'],
  [500, 'internal_error'],
])('passes the status %d of the call on', async (status, code) => {
  outcome = { status, code };
  expect([await press(), performed()]).toEqual([200, { status, code }]);
});

it('makes no call without the permission of its operation', async () => {
  permissions = ['notifications:read'];
  expect([await press(), performed()]).toEqual([200, { status: 403, code: 'forbidden' }]);
  expect(seen.map(({ path }) => path)).not.toContain('/v1/leads/3/assign');
});

it.each([
  ['an operation that no button may carry out', `/v1/users/${ids.encode('user', 7, 5)}/invite`],
  ['the button itself', `/v1/notifications/${ids.encode('notification', 7, 9)}/actions/go`],
  ['an internal operation', '/internal/notifications/9/actions/go'],
  ['an id of another tenant', `/v1/leads/${ids.encode('lead', 8, 3)}/assign`],
  ['another server', '//example.com/v1/leads'],
])('makes no call to %s', async (_, path) => {
  found = { status: 200, data: { call: { ...call, path } } };
  expect([await press(), performed()]).toEqual([200, { status: 404, code: 'not_found' }]);
  expect(seen).toHaveLength(2);
});

it('responds as the service does if that refuses the request, and makes no call', async () => {
  found = { status: 409, data: null };
  expect([await press(), seen.length]).toEqual([409, 1]);
});

it('forwards a request without a call as it is', async () => {
  found = { status: 200, data: { call: null } };
  expect([await press(), performed(), seen.length]).toEqual([200, undefined, 2]);
});
