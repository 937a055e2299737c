import type { ServerResponse } from 'node:http';
import { operations } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const common = { audience: 'public', message: '', summary: 'Work', reply: z.object({}) } as const;
const rows = operations({
  read: { ...common, method: 'GET', path: '/v1/works' },
  create: { ...common, method: 'POST', path: '/v1/works', status: 201, emits: [] },
  act: { ...common, method: 'POST', path: '/v1/works/act', emits: [] },
  slow: { ...common, method: 'POST', path: '/v1/works/slow', emits: [], timeoutMs: 300 },
  change: { ...common, method: 'PATCH', path: '/v1/works', emits: [] },
  replace: { ...common, method: 'PUT', path: '/v1/works', emits: [] },
  remove: { ...common, method: 'DELETE', path: '/v1/works', emits: [] },
});

let gateway: TestGateway;
let worked: string[];

// One gateway per test, because the circuit breaker of a shared one would open.
beforeEach(async () => {
  worked = [];
  // The service processes the request and closes the connection without a response.
  gateway = await startTestGateway({ identity: rows }, (request) => {
    worked.push(`${request.method} ${request.url}`);
    request.socket.destroy();
  });
});
afterEach(() => gateway.close());

it.each<[string, string, string, Record<string, string>, number]>([
  ['GET', '/v1/works', 'without a key', {}, 2],
  ['HEAD', '/v1/works', 'without a key', {}, 2],
  ['POST', '/v1/works', 'without a key', {}, 1],
  ['POST', '/v1/works', 'with an Idempotency-Key', { 'idempotency-key': 'one' }, 2],
  ['POST', '/v1/works/act', 'that does not accept an Idempotency-Key, with one', { 'idempotency-key': 'one' }, 1],
  ['PATCH', '/v1/works', 'with an Idempotency-Key', { 'idempotency-key': 'one' }, 1],
  ['PUT', '/v1/works', 'with an Idempotency-Key', { 'idempotency-key': 'one' }, 1],
  ['DELETE', '/v1/works', 'with an Idempotency-Key', { 'idempotency-key': 'one' }, 1],
])('%s %s %s is retried after a lost connection only if that is safe', async (method, path, _, headers, times) => {
  const response = await fetch(gateway.base + path, { method, headers });
  expect(response.status).toBe(503);
  expect(worked).toHaveLength(times);
});

it.each<[string, string, Record<string, string>, string]>([
  ['GET', '/v1/works', {}, '; try again later'],
  [
    'POST',
    '/v1/works',
    {},
    '; the request may still be carried out. With an Idempotency-Key, it can be repeated safely with the same key',
  ],
  [
    'POST',
    '/v1/works',
    { 'idempotency-key': 'one' },
    '; the request may still be carried out: repeat it with the same Idempotency-Key',
  ],
  ['PATCH', '/v1/works', {}, '; the request may still be carried out: check before you repeat it'],
])('%s %s %j after a lost connection says how to repeat it', async (method, path, headers, advice) => {
  const response = await fetch(gateway.base + path, { method, headers });
  const { message } = (await response.json()) as { message: string };
  expect(message).toBe(`A backend service is temporarily unavailable${advice}`);
});

describe('a write that the service carries out', () => {
  it.each<[string, string, (response: ServerResponse) => void]>([
    ['does not end in time', 'A backend service did not respond in time', () => {}],
    [
      'has an invalid response',
      'A backend service returned an invalid response',
      (to) => to.socket?.write('nonsense\r\n\r\n'),
    ],
  ])('and that %s may have run', async (_, what, respond) => {
    const other = await startTestGateway({ identity: rows }, (request, response) =>
      request.url === '/v1/works/slow' ? respond(response) : response.writeHead(404).end('{}'),
    );
    const response = await fetch(`${other.base}/v1/works/slow`, { method: 'POST' });
    const { message } = (await response.json()) as { message: string };
    await other.close();
    expect(message).toBe(`${what}; the request may still be carried out: check before you repeat it`);
  });
});
