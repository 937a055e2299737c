import { UsageParts } from './usage-parts.ts';

const call = { keyId: 9, operation: 'GET /v1/leads', userId: 5 };
const hour = Date.UTC(2026, 10, 30, 23) / 3_600_000;
let now: number;
let parts: UsageParts;
beforeEach(() => {
  now = hour * 3_600_000;
  parts = new UsageParts(() => now);
});
const all = () => parts.next(10_000).map(({ part }) => ({ ...part }));

it('counts by hour, key, operation and user', () => {
  for (const one of [call, call, { ...call, keyId: 10 }, { ...call, operation: 'POST /v1/leads' }])
    parts.count(7, '2026-11', one);
  expect(all().map(({ calls }) => calls)).toEqual([2, 1, 1]);
  expect(all()[0]).toEqual({ tenantId: 7, hour, ...call, calls: 2 });
});

it('reports absolute numbers until they are recorded, and forgets past hours', () => {
  parts.count(7, '2026-11', call);
  const first = parts.next(10);
  parts.count(7, '2026-11', call);
  parts.recorded(first);
  expect(all().map(({ calls }) => calls)).toEqual([2]);
  now += 2 * 3_600_000;
  parts.recorded(parts.next(10));
  expect(parts.isReported()).toBe(true);
  parts.count(7, '2026-12', call);
  expect(all()).toEqual([{ tenantId: 7, hour: hour + 2, ...call, calls: 1 }]);
});

it('counts a call that ends in the next month in the last hour of its own', () => {
  now += 3_600_000;
  parts.count(7, '2026-11', call);
  parts.count(7, '2026-12', call);
  expect(all().map((part) => part.hour)).toEqual([hour, hour + 1]);
});

it('has a bound for each tenant, above which calls are counted together', () => {
  for (let keyId = 1; keyId <= 1_005; keyId++) parts.count(7, '2026-11', { ...call, keyId });
  parts.count(8, '2026-11', call);
  const [together] = all().filter(({ keyId }) => keyId === 0);
  expect(together).toEqual({ tenantId: 7, hour, keyId: 0, operation: '', userId: 0, calls: 5 });
  expect(all()).toHaveLength(1_002);
});
