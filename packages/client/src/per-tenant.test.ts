import { createLog } from '@tandem/process';
import { cachedPerTenant, type TenantRequest } from './per-tenant.ts';

const request = (tenantId: number): TenantRequest => ({ tenantId, environment: 'live', requestId: 'test' });

/** A cache of 2 s, whose source and clock the test controls. */
function aCache() {
  const source = { calls: 0, answer: async (tenantId: number | undefined) => `value ${tenantId}` };
  const clock = { now: 0 };
  const get = cachedPerTenant({
    name: 'The value',
    read: ({ tenantId }) => {
      source.calls++;
      return source.answer(tenantId);
    },
    ttlMs: 2_000,
    fallback: 'nothing known',
    log: createLog('test'),
    now: () => clock.now,
  });
  return { source, clock, get: (tenantId = 1) => get(request(tenantId)) };
}

it('reads a value once per tenant and time to live', async () => {
  const { source, clock, get } = aCache();
  expect([await get(1), await get(1), await get(2)]).toEqual(['value 1', 'value 1', 'value 2']);
  expect(source.calls).toBe(2);
  clock.now = 2_000;
  source.answer = async () => 'changed';
  expect(await get(1)).toBe('changed');
});

it('shares one call among concurrent requests', async () => {
  const { source, get } = aCache();
  expect(new Set(await Promise.all(Array.from({ length: 20 }, () => get())))).toEqual(new Set(['value 1']));
  expect(source.calls).toBe(1);
});

it('uses the last value while the other service fails, and asks again later', async () => {
  const { source, clock, get } = aCache();
  await get();
  clock.now = 60_000;
  source.answer = async () => {
    throw new Error('down');
  };
  expect([await get(), await get()]).toEqual(['value 1', 'value 1']);
  expect(source.calls).toBe(2);
  clock.now += 5_000;
  source.answer = async () => 'back';
  expect(await get()).toBe('back');
});

it('uses the fallback for a tenant that the other service never answered for', async () => {
  const { source, get } = aCache();
  source.answer = async () => {
    throw new Error('down');
  };
  expect(await get()).toBe('nothing known');
});

it('does not wait for a service that hangs', async () => {
  const { source, clock, get } = aCache();
  await get();
  clock.now = 2_000;
  source.answer = () => new Promise(() => {});
  expect(await get()).toBe('value 1');
});
