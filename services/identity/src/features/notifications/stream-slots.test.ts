import { randomUUID } from 'node:crypto';
import { connectRedis } from '@tandem/passwords';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { createStreamSlots, streamsPerTenantMax, streamsPerUserMax } from './stream-slots.ts';

const log = createLog('identity');
const redis = connectRedis(process.env.TEST_REDIS_URL as string, log);
const noRedis = connectRedis('redis://127.0.0.1:9', log);
beforeAll(() => until('Redis is connected', () => redis.status === 'ready'));
afterAll(() => {
  redis.disconnect();
  noRedis.disconnect();
});

const taken = (results: readonly unknown[]) => results.filter(Boolean).length;

/** Two processes that share their slots. */
function twoProcesses(leaseMs?: number) {
  const shared = { redis, namespace: `slots-${randomUUID()}`, log, ...(leaseMs !== undefined && { leaseMs }) };
  return [createStreamSlots(shared), createStreamSlots(shared)] as const;
}

it('a tenant has one limit for all processes and users', async () => {
  const [one, two] = twoProcesses();
  for (let user = 0; user < streamsPerTenantMax / streamsPerUserMax; user++) {
    const entered = await Promise.all(
      Array.from({ length: streamsPerUserMax }, (_, n) => (n % 2 ? one : two).enter(1, user)),
    );
    expect(taken(entered)).toBe(streamsPerUserMax);
  }
  expect([await one.enter(1, 999), await two.enter(1, 999)]).toEqual([undefined, undefined]);
  expect(await two.enter(2, 1)).toBeDefined();
  one.close();
  two.close();
});

it('a slot is given back once', async () => {
  const [one, two] = twoProcesses();
  const entered = await Promise.all(Array.from({ length: streamsPerUserMax }, () => one.enter(1, 1)));
  expect(await two.enter(1, 1)).toBeUndefined();
  entered[0]?.();
  entered[0]?.();
  await until('the slot is free', () => two.enter(1, 1));
  expect([await one.enter(1, 1), await two.enter(1, 1)]).toEqual([undefined, undefined]);
  one.close();
  two.close();
});

it('the slots of a process that was killed become free, and those of a running one do not', async () => {
  const [killed, running] = twoProcesses(3_000);
  const half = streamsPerUserMax / 2;
  for (let n = 0; n < half; n++) {
    await killed.enter(1, 1);
    await running.enter(1, 1);
  }
  // A closed instance no longer renews its slots.
  killed.close();
  expect(await running.enter(1, 1)).toBeUndefined();
  let free = 0;
  await until('the slots are free', async () => {
    if (await running.enter(1, 1)) free++;
    return free === half;
  });
  expect(await running.enter(1, 1)).toBeUndefined();
  running.close();
});

it('each process has the limits while Redis is unavailable', async () => {
  const slots = createStreamSlots({ redis: noRedis, namespace: 'none', log });
  const entered = await Promise.all(Array.from({ length: streamsPerUserMax + 2 }, () => slots.enter(1, 1)));
  expect(taken(entered)).toBe(streamsPerUserMax);
  slots.close();
});
