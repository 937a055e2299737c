import { createApiKey } from '@tandem/api-keys';
import { operations, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway, testPrincipal } from '../testing.ts';

const rows = operations({
  own: { method: 'GET', path: '/v1/own', permission: signedIn, summary: 'Own', reply: z.object({}), message: '' },
});

let gateway: TestGateway;
let environment: string;

beforeEach(async () => {
  gateway = await startTestGateway({ identity: rows }, (request, response) => {
    const data =
      request.url === '/internal/keys/resolve' ? { ...testPrincipal, environment } : { calls: 0, recorded: [] };
    request.resume().on('end', () => response.end(JSON.stringify({ data })));
  });
});
afterEach(() => gateway.close());

const ask = (headers: Record<string, string> = {}) =>
  fetch(`${gateway.base}/v1/own`, {
    headers: { 'x-api-key': createApiKey(environment as 'live' | 'sandbox').key, ...headers },
  });

it.each([
  ['live', 'sandbox'],
  ['sandbox', 'live'],
])('refuses a %s key with X-Environment: %s, and accepts a matching or missing header', async (own, other) => {
  environment = own;
  expect((await ask()).status).toBe(200);
  expect((await ask({ 'x-environment': own })).status).toBe(200);
  const rejected = await ask({ 'x-environment': other });
  const body = (await rejected.json()) as { code: string; errors: { field: string; message: string }[] };
  expect([rejected.status, body.code, body.errors[0]?.field]).toEqual([400, 'environment_mismatch', 'X-Environment']);
  expect(body.errors[0]?.message).toContain(`belongs to ${own}: omit the header`);
});
