import { randomBytes } from 'node:crypto';
import { operations, signedIn } from '@tandem/contract';
import { until } from '@tandem/testing';
import { z } from 'zod';
import { settingsSchema } from '../config.ts';
import { createGateway, type RunningGateway } from '../create-gateway.ts';

const rows = operations({
  secret: {
    method: 'GET',
    path: '/v1/secret',
    permission: signedIn,
    summary: 'Secret',
    reply: z.object({}),
    message: '',
  },
  opened: {
    method: 'GET',
    path: '/v1/public/opened',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Opened',
    reply: z.object({}),
    message: '',
  },
});
// Nothing listens on this port, so no call reaches a service.
const closedOrigin = 'http://127.0.0.1:9';
const failuresMax = 3;

let gateway: RunningGateway;
let base: string;
beforeAll(async () => {
  const settings = settingsSchema.parse({
    REDIS_URL: process.env.TEST_REDIS_URL,
    // After a slow answer of Redis, calls are counted by the process for a while.
    REDIS_TIMEOUT_MS: 10_000,
    NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
    INTERNAL_SECRETS: `k1:${randomBytes(32).toString('hex')}`,
    KEY_PEPPER: 'p'.repeat(32),
    PUBLIC_URL: 'https://api.example.com',
    IDS_ALPHABET: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    IDENTITY_URL: closedOrigin,
    TRUSTED_PROXIES: '127.0.0.1',
    ANONYMOUS_RATE_PER_MINUTE: 1_000,
    FAILED_AUTHENTICATIONS_PER_MINUTE: failuresMax,
  });
  gateway = createGateway(settings, { identity: rows }, { identity: closedOrigin });
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(gateway.server.address() as { port: number }).port}`;
});
afterAll(async () => {
  gateway?.server.close();
  gateway?.server.closeAllConnections();
  await gateway?.close();
});

const requestFrom = (ip: string, path: string) =>
  fetch(base + path, { headers: { 'x-forwarded-for': ip, 'x-api-key': 'nonsense' } });

beforeEach(() =>
  until('Redis is available and the minute does not end soon', async () => {
    const { headers } = await requestFrom('192.0.2.1', '/v1/nothing');
    return !headers.has('x-ratelimit-degraded') && Number(headers.get('ratelimit-reset')) > 3;
  }),
);

it('counts calls without credentials by the network of an IPv6 address', async () => {
  const remaining = async (ip: string) =>
    Number((await requestFrom(ip, '/v1/nothing')).headers.get('ratelimit-remaining'));
  const first = await remaining('2001:db8:1:1::1');
  expect(await remaining('2001:db8:1:1:ffff::2')).toBe(first - 1);
  expect(await remaining('2001:db8:1:2::1')).toBe(first);
  const other = await remaining('203.0.113.7');
  expect(await remaining('::ffff:cb00:7107')).toBe(other - 1);
});

it('counts calls that proxies make for many people apart, against a larger allowance', async () => {
  const proxy = { headers: { 'x-forwarded-for': '203.0.113.99' } };
  const limitOf = async (path: string) => (await fetch(base + path, proxy)).headers;
  const before = Number((await limitOf('/v1/nothing')).get('ratelimit-remaining'));
  const opened = await limitOf('/v1/public/opened');
  expect(Number(opened.get('ratelimit-limit'))).toBe(12_000);
  expect(Number((await limitOf('/v1/nothing')).get('ratelimit-remaining'))).toBe(before - 1);
});

it('counts failed authentications by the network of an IPv6 address', async () => {
  const responses = [];
  for (let host = 1; host <= failuresMax + 1; host++) {
    const { status, headers } = await requestFrom(`2001:db8:2:1::${host}`, '/v1/secret');
    responses.push([status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]);
  }
  expect(responses).toEqual([
    [401, '3', '2'],
    [401, '3', '1'],
    [401, '3', '0'],
    [429, '3', '0'],
  ]);
  expect((await requestFrom('2001:db8:2:2::1', '/v1/secret')).status).toBe(401);
});
