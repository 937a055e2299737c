import { createTurns } from './turns.ts';

const one = { tenant: '1', webhook: '1', alone: false };
const askAt = (taken: object) => ('askAt' in taken ? (taken.askAt as Date).getTime() : undefined);

it('gives a tenant only so many turns at once, and other tenants theirs', async () => {
  let now = 0;
  const turns = createTurns({ max: 2, now: () => now });
  const [first] = [await turns.take(one), await turns.take(one)];
  now = 5_000;
  expect(askAt(await turns.take(one))).toBeGreaterThan(now);
  expect(askAt(await turns.take({ ...one, tenant: '2' }))).toBeUndefined();
  (first as { end(): void }).end();
  expect(askAt(await turns.take(one))).toBeUndefined();
});

it('sends those away to different times when sends are slow, within bounds', async () => {
  let now = 0;
  const turns = createTurns({ max: 1, now: () => now });
  await turns.take(one);
  now = 10_000;
  const times = [];
  for (let index = 0; index < 5; index += 1) times.push(askAt(await turns.take(one)) as number);
  expect(times).toEqual([20_000, 30_000, 40_000, 40_000, 40_000]);
});

it('lets one wait for a moment when sends are quick', async () => {
  const turns = createTurns({ max: 1, now: () => 0 });
  const first = (await turns.take(one)) as { end(): void };
  const second = turns.take(one);
  first.end();
  expect(askAt(await second)).toBeUndefined();
});

it('gives a webhook that times out one turn at a time', async () => {
  let now = 0;
  const turns = createTurns({ now: () => now });
  const first = (await turns.take({ ...one, alone: true })) as { end(): void };
  now = 1_000;
  expect(askAt(await turns.take({ ...one, alone: true }))).toBeGreaterThan(now);
  expect(askAt(await turns.take({ ...one, webhook: '2' }))).toBeUndefined();
  first.end();
  expect(askAt(await turns.take({ ...one, alone: true }))).toBeUndefined();
});

it('counts a turn that is ended twice once', async () => {
  const turns = createTurns({ max: 1, now: () => 0 });
  const first = (await turns.take(one)) as { end(): void };
  first.end();
  first.end();
  expect(askAt(await turns.take(one))).toBeUndefined();
});
