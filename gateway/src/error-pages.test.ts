import { media, operations } from '@tandem/contract';
import { z } from 'zod';
import { startTestGateway, type TestGateway } from './testing.ts';

const rows = operations({
  page: {
    method: 'GET',
    path: '/v1/public/page',
    audience: 'public',
    summary: 'Page',
    reply: media('text/html'),
    message: '',
  },
  data: {
    method: 'GET',
    path: '/v1/public/data',
    audience: 'public',
    summary: 'Data',
    reply: z.object({}),
    message: '',
  },
});

const allowed = 3;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ identity: rows }, (request) => void request.socket.destroy(), {
    ANONYMOUS_RATE_PER_MINUTE: allowed,
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => gateway?.close());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function open(path: string, { from, accept }: { from: string; accept: string }) {
  const response = await fetch(gateway.base + path, { headers: { accept, 'x-forwarded-for': from } });
  const { headers, status } = response;
  return { status, headers, type: headers.get('content-type'), text: await response.text() };
}

it('a browser gets a page when the service of a page is down, without anything that can run', async () => {
  const { status, headers, type, text } = await open('/v1/public/page', { from: '203.0.113.1', accept: browser });
  expect([status, type, headers.get('retry-after')]).toEqual([503, 'text/html; charset=utf-8', '1']);
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
  expect(text).toContain('<h1>Try again in a moment</h1>');
  expect(text).toContain(`Request ${headers.get('x-request-id')}`);
});

it('a browser gets a page when its network sends too many requests, which advises no plan', async () => {
  const visit = () => open('/v1/public/page', { from: '203.0.113.2', accept: browser });
  for (let sent = 0; sent < allowed + 1; sent++) await visit();
  const { status, headers, text } = await visit();
  expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(text).toContain('Too many requests came from your network.');
  expect(text).not.toContain('plan');
});

it.each([
  ['a program that opens a page', '/v1/public/page', '*/*'],
  ['a program that asks for JSON', '/v1/public/page', 'application/json'],
  ['a browser that reads data', '/v1/public/data', browser],
])('%s gets the error as JSON', async (_, path, accept) => {
  const { status, type, text } = await open(path, { from: '203.0.113.3', accept });
  expect([status, type, JSON.parse(text).code]).toEqual([503, 'application/json; charset=utf-8', 'unavailable']);
});
