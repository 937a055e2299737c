import { operations } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const common = { audience: 'public', message: '', summary: 'Work', reply: z.object({}) } as const;
const rows = operations({
  read: { ...common, method: 'GET', path: '/v1/works' },
  create: { ...common, method: 'POST', path: '/v1/works', status: 201, emits: [] },
  act: { ...common, method: 'POST', path: '/v1/works/act', emits: [] },
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
