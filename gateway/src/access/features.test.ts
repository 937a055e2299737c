import { createApiKey } from '@tandem/api-keys';
import { callerHeader } from '@tandem/caller';
import { operations, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway, testPrincipal } from '../testing.ts';

const row = {
  permission: signedIn,
  path: '/v1/workflows',
  summary: 'Workflows',
  reply: z.object({}),
  message: '',
} as const;
const rows = operations({
  getWorkflow: { ...row, method: 'GET' },
  createWorkflow: { ...row, method: 'POST', feature: 'workflows', emits: [] },
});

let gateway: TestGateway;
let features: string[] | undefined;
let callers: unknown[];

beforeEach(async () => {
  callers = [];
  gateway = await startTestGateway({ identity: rows }, (request, response) => {
    const [, payload = ''] = String(request.headers[callerHeader]).split('.');
    if (request.url === '/v1/workflows') callers.push(JSON.parse(Buffer.from(payload, 'base64url').toString()).caller);
    const data =
      request.url === '/internal/keys/resolve'
        ? { ...testPrincipal, ...(features && { features }) }
        : { calls: 0, recorded: [] };
    request.resume().on('end', () => response.end(JSON.stringify({ data })));
  });
});
afterEach(() => gateway.close());

const send = async (method: string) => {
  const response = await fetch(`${gateway.base}/v1/workflows`, {
    method,
    headers: { 'x-api-key': createApiKey('live').key },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

it('refuses a write whose feature the tenant lacks, names the plan that has it, and lets the tenant read', async () => {
  features = ['webhooks'];
  const { status, body } = await send('POST');
  expect([status, body.code]).toEqual([403, 'feature_not_available']);
  expect(body.message).toContain('plan Starter or higher');
  expect(body.errors).toEqual([{ field: 'plan', message: expect.stringContaining('workflows') }]);
  expect((await send('GET')).status).toBe(200);
});

it('passes a write on with the features of the tenant', async () => {
  features = ['webhooks', 'workflows'];
  expect((await send('POST')).status).toBe(200);
  expect(callers).toEqual([expect.objectContaining({ features })]);
});

it('restricts nothing while identity is of the release without features', async () => {
  features = undefined;
  expect((await send('POST')).status).toBe(200);
});
