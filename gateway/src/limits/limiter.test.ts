import { randomBytes, randomUUID } from 'node:crypto';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import type { Allowance, Limiter, Verdict } from './allowance.ts';
import { createLimiter, type LimiterOptions } from './limiter.ts';
import { type GuardedRedis, guardRedis } from './redis.ts';

const log = createLog('test');
const url = process.env.TEST_REDIS_URL as string;
const namespace = `limiter-${randomBytes(4).toString('hex')}`;
const month = '2026-11';

// Generous: these tests check counting, not the speed of a loaded machine.
const timeoutMs = 10_000;

let redises: GuardedRedis[];
let gateways: Limiter[];
let recorded: Map<number, number>;
let tenants = 0;

function aGateway(redis: GuardedRedis, options: Partial<LimiterOptions> = {}): Limiter {
  return createLimiter({
    redis,
    namespace,
    log,
    gateway: randomUUID(),
    reportWithinMs: timeoutMs,
    // A window that does not end during the test.
    windowMs: 86_400_000,
    readRecorded: async (tenantId) => ({ before: recorded.get(tenantId) ?? 0 }),
    ...options,
  });
}

/** Two gateways that share one Redis, as in the fleet. */
beforeAll(async () => {
  recorded = new Map();
  redises = [guardRedis(url, log, timeoutMs), guardRedis(url, log, timeoutMs)];
  await Promise.all(redises.map(ready));
  gateways = redises.map((redis) => aGateway(redis));
  // Until Redis answers for the first time, each gateway is limited to its share.
  for (const gateway of gateways.keys())
    await until('the gateway counts in Redis', async () => {
      return (await take(aTenant({ perMinute: 60 }), gateway)).remaining === 59;
    });
});
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway.close();
  for (const redis of redises ?? []) redis.close();
});

function aTenant(limits: { perMinute: number; burst?: number; quota?: number | null }) {
  const tenantId = ++tenants;
  const { perMinute, burst = 0, quota = null } = limits;
  return {
    subject: `t:${tenantId}`,
    pair: `t:${tenantId}/203.0.113.1`,
    perMinute,
    burst,
    quota: { tenantId, month, limit: quota, counts: true },
  };
}
const ready = ({ redis }: GuardedRedis) =>
  new Promise<void>((resolve) => (redis.status === 'ready' ? resolve() : redis.once('ready', () => resolve())));

const take = (allowance: Allowance, gateway = 0) => (gateways[gateway] as Limiter).take(allowance);

describe('the limiter', () => {
  it('admits the limit and the burst, then refuses with a retry time', async () => {
    const tenant = aTenant({ perMinute: 60, burst: 10 });
    const verdicts = [];
    for (let call = 0; call < 72; call++) verdicts.push(await take(tenant));
    expect(verdicts.map((verdict) => verdict.allowed)).toEqual([...Array(70).fill(true), false, false]);
    expect(verdicts.map((verdict) => verdict.remaining)).toEqual([
      ...Array.from({ length: 60 }, (_, index) => 59 - index),
      ...Array(12).fill(0),
    ]);
    expect(verdicts.at(-1)).toMatchObject({ reason: 'rate_limited', limit: 60, usage: 70 });
    expect(verdicts.at(-1)?.resetIn).toBeGreaterThanOrEqual(1);
    expect((verdicts[0]?.reset ?? 1) % 60).toBe(0);
  });

  it.each([
    [1, 60],
    [2, 60],
    [2, 300],
    [2, 1_000],
    [2, 5_000],
  ])(
    'with %i gateways and twice the limit of %i sent at once, admits at most limit plus burst and at least 99 %% of it',
    async (count, limit) => {
      const tenant = aTenant({ perMinute: limit, burst: Math.ceil(limit / 10) });
      const cap = limit + Math.ceil(limit / 10);
      const verdicts = await Promise.all(Array.from({ length: limit * 2 }, (_, index) => take(tenant, index % count)));
      const admitted = verdicts.filter((verdict) => verdict.allowed).length;
      expect(verdicts.filter((verdict) => verdict.degraded)).toHaveLength(0);
      expect(admitted).toBeLessThanOrEqual(cap);
      expect(admitted).toBeGreaterThanOrEqual(Math.floor(cap * 0.99));
    },
  );

  it('admits call N of a quota of N and refuses the next, even if the minute allows more', async () => {
    const tenant = aTenant({ perMinute: 1_000, quota: 25 });
    const verdicts = [];
    for (let call = 0; call < 27; call++) verdicts.push(await take(tenant, call % 2));
    expect(verdicts.map((verdict) => verdict.allowed)).toEqual([...Array(25).fill(true), false, false]);
    expect(verdicts[24]).toMatchObject({ usage: 25 });
    expect(verdicts[25]).toMatchObject({ reason: 'quota_exceeded', usage: 25 });
  });

  it('does not count refused calls, and gives back calls that failed with 5xx', async () => {
    const tenant = aTenant({ perMinute: 1_000, quota: 3 });
    for (let call = 0; call < 6; call++) await take(tenant);
    gateways[0]?.giveBack(tenant);
    expect((await take(tenant)).allowed).toBe(true);
    expect((await take(tenant)).allowed).toBe(false);
  });

  it('continues from the recorded usage if Redis has lost the month', async () => {
    const tenant = aTenant({ perMinute: 1_000, quota: 100 });
    recorded.set(tenant.quota.tenantId, 98);
    const verdicts = [await take(tenant), await take(tenant), await take(tenant)];
    expect(verdicts.map((verdict) => [verdict.allowed, verdict.usage])).toEqual([
      [true, 99],
      [true, 100],
      [false, 100],
    ]);
  });

  it('counts addresses separately, up to the limit of their tenant', async () => {
    const tenant = aTenant({ perMinute: 10 });
    const other = { ...tenant, pair: `${tenant.subject}/203.0.113.2` };
    for (let call = 0; call < 6; call++) expect((await take(tenant)).allowed).toBe(true);
    for (let call = 0; call < 4; call++) expect((await take(other)).allowed).toBe(true);
    expect((await take(other)).allowed).toBe(false);
  });

  it('admits a tenant again at the start of the next window', async () => {
    const windowMs = 1_000;
    const [{ redis }] = redises as [GuardedRedis];
    const short = aGateway(redises[0] as GuardedRedis, { windowMs, namespace: `${namespace}-short` });
    const tenant = aTenant({ perMinute: 2 });
    const now = async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    };
    const verdicts = [await short.take(tenant)];
    const end = ((verdicts[0] as Verdict).reset + 2) * 1_000;
    for (let at = await now(); at < end; at = await now()) {
      const verdict = await short.take(tenant);
      verdicts.push(verdict);
      // A refusal belongs to a window that had not ended when the call was made.
      if (!verdict.allowed) expect(verdict.reset * 1_000).toBeGreaterThan(at);
    }
    const windows = [...Map.groupBy(verdicts, ({ reset }) => reset).values()];
    expect(windows.length).toBeGreaterThanOrEqual(2);
    for (const calls of windows) expect(calls.map(({ allowed }) => allowed)).toEqual(calls.map((_, call) => call < 2));
    await short.close();
  });

  it('returns no usage for callers without a quota', async () => {
    const verdict = await take({ ...aTenant({ perMinute: 10 }), quota: undefined });
    expect(verdict).toMatchObject({ allowed: true, usage: undefined });
  });

  it('returns the usage for calls that do not count towards the quota, and never refuses them because of it', async () => {
    const tenant = aTenant({ perMinute: 1_000, quota: 2 });
    const uncounted = { ...tenant, quota: { ...tenant.quota, counts: false } };
    recorded.set(tenant.quota.tenantId, 1);
    const usages = [];
    for (const allowance of [uncounted, uncounted, tenant, uncounted, tenant, uncounted]) {
      const { allowed, usage } = await take(allowance);
      usages.push([allowed, usage]);
    }
    gateways[0]?.giveBack(uncounted);
    expect(usages).toEqual([
      [true, 1],
      [true, 1],
      [true, 2],
      [true, 2],
      [false, 2],
      [true, 2],
    ]);
    expect((await take(tenant)).allowed).toBe(false);
  });
});

describe('an unexpected error', () => {
  it('makes the process limit calls locally, and is logged with its reason, once a second at most', async () => {
    const warnings: unknown[][] = [];
    const limiter = aGateway(redises[0] as GuardedRedis, {
      log: Object.assign(createLog('test'), { warn: (...entry: unknown[]) => warnings.push(entry) }),
      readRecorded: () => Promise.reject(new TypeError('recorded is not iterable')),
    });
    const [verdict] = await Promise.all([1, 2, 3].map(() => limiter.take(aTenant({ perMinute: 60, quota: 5 }))));
    expect(verdict).toMatchObject({ allowed: true, degraded: true });
    const error = new TypeError('recorded is not iterable');
    expect(warnings).toEqual([['calls are counted without Redis', { error }]]);
    await limiter.close();
  });
});

describe('without Redis', () => {
  /** Two separate gateways that know each other and then lose Redis. */
  async function twoGateways(calls: number, tenant: Allowance) {
    const own = { namespace: `limiter-${randomBytes(4).toString('hex')}`, beatMs: 50 };
    const connections = [guardRedis(url, log, timeoutMs), guardRedis(url, log, timeoutMs)] as const;
    await Promise.all(connections.map(ready));
    const [one, other] = connections.map((redis) => aGateway(redis, own)) as [Limiter, Limiter];
    await until('they know each other', () => one.stats().gateways === 2 && other.stats().gateways === 2);
    for (let call = 0; call < calls; call++) await other.take(tenant);
    const seen = calls ? await one.take(tenant) : undefined;
    for (const { redis } of connections) redis.disconnect();
    const close = async () => {
      await Promise.all([one.close(), other.close()]);
      for (const connection of connections) connection.close();
    };
    return { one, seen, close };
  }

  it('limits calls to this gateway’s share, and reports the degraded state', async () => {
    const tenant = aTenant({ perMinute: 60, burst: 10 });
    const { one, close } = await twoGateways(0, tenant);
    const verdicts = [];
    for (let call = 0; call < 50; call++) verdicts.push(await one.take(tenant));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(35);
    expect(verdicts.every((verdict) => verdict.degraded)).toBe(true);
    await close();
  });

  it('divides only the calls that remained in the minute when Redis last answered', async () => {
    const tenant = aTenant({ perMinute: 60, burst: 10 });
    const { one, seen, close } = await twoGateways(40, tenant);
    const verdicts = [];
    for (let call = 0; call < 30; call++) verdicts.push(await one.take(tenant));
    expect(seen).toMatchObject({ allowed: true, degraded: false });
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(Math.floor((70 - 41) / 2));
    await close();
  });

  it('divides the remaining calls of the month, using the recorded usage if the month is unknown', async () => {
    const [known, unknown] = [aTenant({ perMinute: 1_000, quota: 61 }), aTenant({ perMinute: 1_000, quota: 61 })];
    recorded.set(unknown.quota.tenantId, 41);
    const { one, close } = await twoGateways(40, known);
    for (const tenant of [known, unknown]) {
      const verdicts = [];
      for (let call = 0; call < 30; call++) verdicts.push(await one.take(tenant));
      expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(10);
      expect(verdicts.at(-1)).toMatchObject({ reason: 'quota_exceeded', degraded: true });
    }
    await close();
  });
});
