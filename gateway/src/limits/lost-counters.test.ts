import { randomBytes, randomUUID } from 'node:crypto';
import { createLog } from '@tandem/process';
import { startTcpProxy, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import type { Allowance, Limiter } from './allowance.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';
import { type GuardedRedis, guardRedis } from './redis.ts';

const log = createLog('test');
const url = process.env.TEST_REDIS_URL as string;
const timeoutMs = 10_000;

let redis: Redis;
let opened: { limiter: Limiter; connection: GuardedRedis }[];
let namespace: string;
let recorded: Record<string, number>;
beforeAll(() => {
  redis = new Redis(url);
});
beforeEach(() => {
  [opened, recorded] = [[], {}];
  namespace = `lost-${randomBytes(4).toString('hex')}`;
});
afterEach(async () => {
  await Promise.all(opened.map(({ limiter }) => limiter.close()));
  for (const { connection } of opened) connection.close();
});
afterAll(() => redis?.disconnect());

function aGateway(options: Partial<LimiterOptions> = {}, redisUrl = url, redisTimeoutMs = timeoutMs): Limiter {
  const connection = guardRedis(redisUrl, log, redisTimeoutMs);
  const limiter = createLimiter({
    redis: connection,
    namespace,
    log,
    gateway: randomUUID(),
    reportWithinMs: timeoutMs,
    beatMs: 50,
    // A window that does not end during the test.
    windowMs: 86_400_000,
    readRecorded: async () => recorded,
    ...options,
  });
  opened.push({ limiter, connection });
  return limiter;
}
const twoKnowEachOther = (one: Limiter, other: Limiter) =>
  until('they know each other', () => one.stats().gateways === 2 && other.stats().gateways === 2);

/** Like FLUSHALL, but only for the keys of this test. */
const flush = () =>
  redis.eval(`for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`, 0, `${namespace}:*`);

const visitor: Allowance = { subject: 'ip:1', pair: 'ip:1/1', perMinute: 100, burst: 0, quota: undefined };
const aKey = (limit: number): Allowance => ({
  subject: 't:1',
  pair: 't:1/1',
  perMinute: 1_000,
  burst: 0,
  quota: { tenantId: 1, month: '2026-11', limit, counts: true },
});
const certain = async (limiter: Limiter, allowance: Allowance) => {
  await until('it counts by Redis', async () => !(await limiter.take({ ...allowance, subject: 'x' })).degraded);
};
async function takeMany(limiter: Limiter, allowance: Allowance, calls: number) {
  const verdicts = [];
  for (let call = 0; call < calls; call++) verdicts.push(await limiter.take(allowance));
  return { allowed: verdicts.filter(({ allowed }) => allowed).length, degraded: verdicts.some((one) => one.degraded) };
}

describe('counters that Redis has lost', () => {
  it('are reported by all gateways before a gateway without counts decides', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, visitor);
    await certain(other, visitor);
    expect(await takeMany(one, visitor, 100)).toEqual({ allowed: 100, degraded: false });
    await flush();
    expect(await takeMany(other, visitor, 100)).toEqual({ allowed: 0, degraded: false });
  });

  it('limit each gateway to its share until a silent gateway has reported or stopped', async () => {
    const one = aGateway({ reportWithinMs: 50, goneAfterMs: 3_000 });
    await certain(one, visitor);
    const silent = redis.duplicate();
    await silent.subscribe(`${namespace}:report-requests`);
    await redis.hset(`${namespace}:presence`, 'silent', '1');
    await until('the silent gateway is known', () => one.stats().gateways === 2);
    await one.take(aKey(100));
    await flush();
    expect(await one.take(aKey(100))).toMatchObject({ degraded: true });
    expect(await one.take({ ...aKey(100), subject: 't:2' })).toMatchObject({ degraded: true });
    await until('the silent gateway counts as stopped', async () => !(await one.take(aKey(100))).degraded);
    silent.disconnect();
  });
});

describe('a gateway', () => {
  it('that stops is removed at once by the others', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    const [ended] = opened.splice(1);
    await ended?.limiter.close();
    ended?.connection.close();
    await until('it is removed', () => one.stats().gateways === 1);
  }, 9_000);

  it('that loses Redis reads the recorded usage of the month before it serves its share', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, aKey(61));
    expect(await takeMany(one, aKey(61), 1)).toEqual({ allowed: 1, degraded: false });
    recorded = { other: 40 };
    opened[0]?.connection.redis.disconnect();
    // 41 of 61 calls are served, and two gateways share the rest.
    expect(await takeMany(one, aKey(61), 30)).toEqual({ allowed: 10, degraded: true });
  });

  it('that starts without Redis serves its share by the expected number of gateways', async () => {
    const one = aGateway({ expected: 4 }, 'redis://127.0.0.1:1');
    expect(await takeMany(one, visitor, 100)).toEqual({ allowed: 25, degraded: true });
  });

  it('uses Redis again within 10 s after the server vanished without closing connections', async () => {
    const proxy = await startTcpProxy(url);
    // Redis keeps the subscriptions of dead connections, which count as silent gateways.
    const aProxiedGateway = () => aGateway({ reportWithinMs: 100, goneAfterMs: 2_000 }, proxy.through(url), 200);
    const [one, other] = [aProxiedGateway(), aProxiedGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, visitor);
    await certain(other, visitor);
    proxy.blackHole();
    const startedAt = Date.now();
    expect(await takeMany(one, visitor, 1)).toEqual({ allowed: 1, degraded: true });
    for (const limiter of [one, other])
      await until('it counts by Redis', async () => !(await limiter.take(visitor)).degraded);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await Promise.all(opened.map(({ limiter }) => limiter.close()));
    for (const { connection } of opened.splice(0)) connection.close();
    await proxy.close();
  }, 30_000);

  it('does not wait for reports while Redis is unavailable', async () => {
    const proxy = await startTcpProxy(url);
    const one = aGateway({}, proxy.through(url));
    await certain(one, visitor);
    await proxy.close();
    // Each wait would take ten seconds.
    expect(await takeMany(one, visitor, 20)).toEqual({ allowed: 20, degraded: true });
  }, 9_000);
});
