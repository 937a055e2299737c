import { randomBytes, randomUUID } from 'node:crypto';
import { createLog } from '@tandem/process';
import { startTcpProxy, until } from '@tandem/testing';
import { Redis } from 'ioredis';
import type { Allowance, Limiter } from './allowance.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';
import { type GuardedRedis, guardRedis } from './redis.ts';

const log = createLog('test');
const url = process.env.TEST_REDIS_URL as string;
const patient = 10_000;

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

function aGateway(options: Partial<LimiterOptions> = {}, redisUrl = url, withinMs = patient): Limiter {
  const connection = guardRedis(redisUrl, log, withinMs);
  const limiter = createLimiter({
    ...{ redis: connection, namespace, log, gateway: randomUUID(), reportWithinMs: patient, beatMs: 50 },
    // Within a window that does not end under the test.
    ...{ windowMs: 86_400_000, readRecorded: async () => recorded },
    ...options,
  });
  opened.push({ limiter, connection });
  return limiter;
}
const twoKnowEachOther = (one: Limiter, other: Limiter) =>
  until('they know each other', () => one.stats().gateways === 2 && other.stats().gateways === 2);

/** Loses what a FLUSHALL would lose, without the keys of other tests. */
const flush = () =>
  redis.eval(`for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`, 0, `${namespace}:*`);

const visitor: Allowance = { subject: 'ip:1', pair: 'ip:1/1', perMinute: 100, burst: 0, quota: undefined };
const aKey = (limit: number): Allowance => ({
  ...{ subject: 't:1', pair: 't:1/1', perMinute: 1_000, burst: 0 },
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
  it('are those of all gateways again before a gateway that had none of them decides', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, visitor);
    await certain(other, visitor);
    expect(await takeMany(one, visitor, 100)).toEqual({ allowed: 100, degraded: false });
    await flush();
    expect(await takeMany(other, visitor, 100)).toEqual({ allowed: 0, degraded: false });
  });

  it('leave each gateway its share until a silent gateway has reported or ended', async () => {
    const one = aGateway({ reportWithinMs: 50, goneAfterMs: 1_000 });
    await certain(one, visitor);
    const silent = redis.duplicate();
    await silent.subscribe(`${namespace}:report-requests`);
    await redis.hset(`${namespace}:presence`, 'silent', '1');
    await until('it is known', () => one.stats().gateways === 2);
    await one.take(aKey(100));
    await flush();
    expect(await one.take(aKey(100))).toMatchObject({ degraded: true });
    expect(await one.take({ ...aKey(100), subject: 't:2' })).toMatchObject({ degraded: true });
    await until('the silent gateway counts as ended', async () => !(await one.take(aKey(100))).degraded);
    silent.disconnect();
  });
});

describe('a gateway', () => {
  it('that ends is dropped at once by the others', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    const [ended] = opened.splice(1);
    await ended?.limiter.close();
    ended?.connection.close();
    await until('it is dropped', () => one.stats().gateways === 1);
  }, 5_000);

  it('that loses Redis reads the month again before it serves its share of it', async () => {
    const [one, other] = [aGateway(), aGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, aKey(61));
    expect(await takeMany(one, aKey(61), 1)).toEqual({ allowed: 1, degraded: false });
    recorded = { other: 40 };
    opened[0]?.connection.redis.disconnect();
    // Of 61 calls 41 are served, and two gateways share the others.
    expect(await takeMany(one, aKey(61), 30)).toEqual({ allowed: 10, degraded: true });
  });

  it('that starts without Redis serves its share by the number of gateways expected', async () => {
    const one = aGateway({ expected: 4 }, 'redis://127.0.0.1:1');
    expect(await takeMany(one, visitor, 100)).toEqual({ allowed: 25, degraded: true });
  });

  it('counts by Redis again within 10 s when the server vanished without closing connections', async () => {
    const proxy = await startTcpProxy(url);
    // Redis keeps subscriptions of connections that it does not know to be dead: they count as silent gateways.
    const aDistantGateway = () => aGateway({ reportWithinMs: 100, goneAfterMs: 2_000 }, proxy.through(url), 200);
    const [one, other] = [aDistantGateway(), aDistantGateway()];
    await twoKnowEachOther(one, other);
    await certain(one, visitor);
    await certain(other, visitor);
    proxy.blackHole();
    const since = Date.now();
    expect(await takeMany(one, visitor, 1)).toEqual({ allowed: 1, degraded: true });
    for (const limiter of [one, other])
      await until('it counts by Redis', async () => !(await limiter.take(visitor)).degraded);
    expect(Date.now() - since).toBeLessThan(10_000);
    await Promise.all(opened.map(({ limiter }) => limiter.close()));
    for (const { connection } of opened.splice(0)) connection.close();
    await proxy.close();
  }, 30_000);

  it('does not wait for reports while Redis is away', async () => {
    const proxy = await startTcpProxy(url);
    const one = aGateway({}, proxy.through(url));
    await certain(one, visitor);
    await proxy.close();
    // Each wait would last ten seconds.
    expect(await takeMany(one, visitor, 20)).toEqual({ allowed: 20, degraded: true });
  }, 5_000);
});
