import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createApiKey } from '@tandem/api-keys';
import { operations, signedIn } from '@tandem/contract';
import { startTcpProxy, type TcpProxy, until } from '@tandem/testing';
import { z } from 'zod';
import { settingsSchema } from '../config.ts';
import { createGateway, type RunningGateway } from '../create-gateway.ts';
import { testPrincipal } from '../testing.ts';

const rows = operations({
  own: {
    method: 'GET',
    path: '/v1/things/own',
    permission: signedIn,
    summary: 'Own',
    reply: z.object({}),
    message: '',
  },
});
const limits = { plan: 'enterprise', monthlyCalls: 1_000_000, ratePerMinute: 100_000, burst: 0 };
const callers = 30;
const addresses = 200;

let redis: TcpProxy;
let service: Server;
let isFailing = false;
beforeAll(async () => {
  redis = await startTcpProxy(process.env.TEST_REDIS_URL as string);
  const responses: Record<string, () => [number, unknown]> = {
    '/internal/keys/resolve': () => [200, { ...testPrincipal, limits }],
    '/internal/usage/read': () => [200, { calls: 0, recorded: [] }],
    '/internal/usage/report': () => [200, {}],
    '/v1/things/own': () => (isFailing ? [500, {}] : [200, {}]),
  };
  service = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [status, data] = responses[request.url as string]?.() ?? [404, {}];
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  service?.closeAllConnections();
  service?.close();
  await redis?.close();
});

/** A gateway with its own API key. */
async function aGateway(redisTimeoutMs: number) {
  const origin = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  const settings = settingsSchema.parse({
    REDIS_URL: redis.through(process.env.TEST_REDIS_URL as string),
    REDIS_TIMEOUT_MS: redisTimeoutMs,
    NAMESPACE: `gateway-${randomBytes(4).toString('hex')}`,
    INTERNAL_SECRETS: `k1:${randomBytes(32).toString('hex')}`,
    KEY_PEPPER: 'p'.repeat(32),
    PUBLIC_URL: 'https://api.example.com',
    IDS_ALPHABET: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    IDENTITY_URL: origin,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const gateway: RunningGateway = createGateway(settings, { identity: rows }, { identity: origin });
  await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(gateway.server.address() as { port: number }).port}`;
  const { key } = createApiKey('live');
  let served = 0;
  let next = 0;
  const send = async () => {
    const ip = `127.0.20.${next++ % addresses}`;
    const response = await fetch(`${base}/v1/things/own`, { headers: { 'x-api-key': key, 'x-forwarded-for': ip } });
    await response.arrayBuffer();
    if (response.status === 200) served++;
    return response;
  };
  return {
    send,
    served: () => served,
    /** Sends calls from all callers concurrently, each call from the next address. */
    async load(calls: number) {
      let left = calls;
      const statuses = new Map<number, number>();
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) {
            const { status } = await send();
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        }),
      );
      return [...statuses.keys()].sort();
    },
    async close() {
      gateway.server.close();
      gateway.server.closeAllConnections();
      await gateway.close();
    },
  };
}

describe('X-API-Usage-Current', () => {
  it('is the number of served calls after 5xx responses to callers from many addresses', async () => {
    const gateway = await aGateway(10_000);
    expect(await gateway.load(300)).toEqual([200]);
    isFailing = true;
    expect(await gateway.load(300)).toEqual([500]);
    isFailing = false;
    expect(await gateway.load(300)).toEqual([200]);
    const { headers } = await gateway.send();
    expect(Number(headers.get('x-api-usage-current'))).toBe(gateway.served());
    await gateway.close();
  });

  it('is the number of served calls after Redis was frozen under load', async () => {
    const gateway = await aGateway(50);
    await gateway.load(100);
    const load = gateway.load(3_000);
    redis.pause();
    await until('calls are served without Redis', () => gateway.served() > 1_000);
    redis.resume();
    expect(await load).toEqual([200]);
    // Also a single slow answer of Redis counts as an outage.
    const headers = await until('Redis counts', async () => {
      const response = await gateway.send();
      return !response.headers.has('x-ratelimit-degraded') && response.headers;
    });
    expect(Number(headers.get('x-api-usage-current'))).toBe(gateway.served());
    await gateway.close();
  });
});
