import { createFairQueue, type SendTarget, type Slot, sendsMax } from './fair-queue.ts';

const target = (tenant: string, endpoint = '1', isSuspect = false): SendTarget => ({ tenant, endpoint, isSuspect });
const isSlot = (taken: object): taken is Slot => 'release' in taken;
const millis = (taken: object) => ('retryAt' in taken ? (taken.retryAt as Date).getTime() : undefined);

let now = 0;
beforeEach(() => {
  now = 0;
});
const queueOf = () => createFairQueue({ now: () => now });
type Queue = ReturnType<typeof queueOf>;

/** Requests more slots than an endpoint can have; returns those that it gets. */
async function takeAll(queue: Queue, to: SendTarget): Promise<Slot[]> {
  const taken = await Promise.all(Array.from({ length: 6 }, () => queue.acquire(to)));
  return taken.filter(isSlot);
}

/** Measures an endpoint with one send of this duration. */
async function measure(queue: Queue, to: SendTarget, tookMs: number) {
  ((await queue.acquire(to)) as Slot).release(tookMs);
}

it.each([
  ['fresh', undefined, 2],
  ['prompt', 50, 4],
  ['slow', 6_000, 1],
])('gives a %s endpoint a limited share of the tenant’s slots', async (_, tookMs, expected) => {
  const queue = queueOf();
  if (tookMs) await measure(queue, target('a'), tookMs);
  expect(await takeAll(queue, target('a'))).toHaveLength(expected);
});

it('gives a suspect endpoint one slot, even if it was fast before', async () => {
  const queue = queueOf();
  await measure(queue, target('a'), 10);
  expect(await takeAll(queue, target('a', '1', true))).toHaveLength(1);
});

it('limits fast sends per tenant, without affecting other tenants', async () => {
  const queue = queueOf();
  for (const endpoint of ['1', '2']) await measure(queue, target('a', endpoint), 10);
  const all = [...(await takeAll(queue, target('a', '1'))), ...(await takeAll(queue, target('a', '2')))];
  expect(all).toHaveLength(5);
  expect(await takeAll(queue, target('b'))).toHaveLength(2);
});

it('limits slow sends of a tenant, and does not count them against its other endpoints', async () => {
  const queue = queueOf();
  for (const endpoint of ['1', '2', '3', '4']) await measure(queue, target('a', endpoint), 6_000);
  const slow = [];
  for (const endpoint of ['1', '2', '3', '4']) slow.push(...(await takeAll(queue, target('a', endpoint))));
  expect(slow).toHaveLength(3);
  await measure(queue, target('a', 'prompt'), 10);
  expect(await takeAll(queue, target('a', 'prompt'))).toHaveLength(4);
});

it('counts a running send as slow after a second', async () => {
  const queue = queueOf();
  for (const endpoint of ['1', '2', 'prompt']) await measure(queue, target('a', endpoint), 10);
  for (const endpoint of ['1', '2']) await takeAll(queue, target('a', endpoint));
  now = 999;
  expect(await takeAll(queue, target('a', 'prompt'))).toHaveLength(0);
  now = 1_000;
  expect(await takeAll(queue, target('a', 'prompt'))).toHaveLength(4);
});

it('gives a waiting delivery a slot once a running send counts as slow', async () => {
  const queue = queueOf();
  for (const endpoint of ['1', '2', '3', '4', '5']) await queue.acquire(target('a', endpoint));
  const waiting = queue.acquire(target('a', 'prompt'));
  now = 1_000;
  expect(isSlot(await queue.acquire(target('a', 'prompt')))).toBe(true);
  expect(isSlot(await waiting)).toBe(true);
});

it('reserves slots for prompt endpoints when slow and fresh ones of many tenants use all theirs', async () => {
  const queue = queueOf();
  await measure(queue, target('healthy'), 10);
  const takeAllOfMany = (name: string) =>
    Promise.all(Array.from({ length: sendsMax }, (_, tenant) => takeAll(queue, target(`${name} ${tenant}`))));
  const fresh = (await takeAllOfMany('fresh')).flat();
  now = 5_000;
  const later = (await takeAllOfMany('later')).flat();
  expect(fresh.length).toBeGreaterThan(sendsMax / 2);
  expect(fresh.length + later.length).toBeLessThanOrEqual((sendsMax * 3) / 4);
  expect(await takeAll(queue, target('healthy'))).toHaveLength(4);
});

it('lets a delivery wait in memory for a fast endpoint', async () => {
  const queue = queueOf();
  const [first] = await takeAll(queue, target('a'));
  const waiting = queue.acquire(target('a'));
  first?.release(10);
  expect(isSlot(await waiting)).toBe(true);
});

it('assigns free slots to waiting endpoints of a tenant in turn', async () => {
  const queue = queueOf();
  for (const endpoint of ['busy', 'other', 'third']) await measure(queue, target('a', endpoint), 10);
  const slots: Slot[] = [];
  for (const endpoint of ['busy', 'busy', 'busy', 'other', 'other'])
    slots.push((await queue.acquire(target('a', endpoint))) as Slot);
  const order: string[] = [];
  const waiting = ['busy', 'busy', 'busy', 'other', 'third'].map((endpoint) =>
    queue.acquire(target('a', endpoint)).then((slot) => {
      order.push(endpoint);
      return slot as Slot;
    }),
  );
  for (const slot of slots) slot.release(10);
  for (const slot of await Promise.all(waiting)) slot.release(10);
  expect(order.slice(0, 3)).toEqual(['busy', 'other', 'third']);
});

it('spreads deliveries of a slow endpoint by its response time, and a long backlog more closely', async () => {
  const queue = queueOf();
  await measure(queue, target('a'), 6_000);
  await queue.acquire(target('a'));
  const times = [];
  for (let index = 0; index < 6; index += 1) times.push(millis(await queue.acquire(target('a'))));
  expect(times).toEqual([6_000, 12_000, 18_000, 24_000, 24_050, 24_100]);
});

it('retries the backlog of a prompt endpoint at its own rate, at most 100 a second', async () => {
  const queue = queueOf();
  await measure(queue, target('a'), 20);
  for (let index = 0; index < 9_999; index += 1) queue.retryAt(target('a'), new Date(0));
  expect(queue.retryAt(target('a'), new Date(0)).getTime()).toBeCloseTo(100_000, -3);
});

it('retries the backlogs of many endpoints at a limited rate, even after a pause', () => {
  const queue = queueOf();
  const pause = new Date(60_000);
  const times: number[] = [];
  for (let index = 0; index < 500; index += 1)
    for (let tenant = 0; tenant < 20; tenant += 1)
      times.push(queue.retryAt(target(String(tenant), '1', true), pause).getTime());
  expect(Math.min(...times)).toBe(60_000);
  const within = (from: number, to: number) => times.filter((at) => at >= from && at < to).length;
  for (let second = 60; second < 180; second += 1)
    expect(within(second * 1_000, second * 1_000 + 1_000)).toBeLessThanOrEqual(150);
});

it('ignores a second release of a slot', async () => {
  const queue = queueOf();
  await measure(queue, target('a'), 6_000);
  const first = (await queue.acquire(target('a'))) as Slot;
  first.release();
  first.release();
  expect(await takeAll(queue, target('a'))).toHaveLength(1);
});
