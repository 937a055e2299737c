import { createSchedules, readRetryAfter } from './retry-schedule.ts';

const seconds = (environment: string, random: number) => {
  const schedules = createSchedules({ random: () => random, now: () => 0 });
  return Array.from(
    { length: schedules.attempts(environment) },
    (_, failed) => (schedules.next(environment, failed)?.getTime() ?? Number.NaN) / 1_000,
  );
};
const live = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

it('makes ten attempts in about 76 hours in live, and four in six minutes in the sandbox', () => {
  expect(seconds('live', 0)).toEqual(live);
  expect(live.reduce((sum, one) => sum + one, 0) / 3_600).toBeCloseTo(75.6, 1);
  expect(seconds('sandbox', 0)).toEqual([0, 5, 60, 300]);
});

it('adds up to 20 % jitter from the third attempt on', () => {
  expect(seconds('live', 1)).toEqual(live.map((wait, index) => (index < 2 ? wait : wait * 1.2)));
});

it('ends after the last attempt', () => {
  expect(createSchedules().next('live', 10)).toBeUndefined();
  expect(createSchedules().next('sandbox', 4)).toBeUndefined();
  expect(createSchedules({ seconds: [0, 1] }).attempts('live')).toBe(2);
});

it('respects Retry-After for at most a day', () => {
  const schedules = createSchedules({ now: () => 0 });
  const asked = (at: number) => schedules.next('live', 1, new Date(at * 1_000))?.getTime();
  expect(asked(3)).toBe(5_000);
  expect(asked(60)).toBe(60_000);
  expect(asked(10 * 86_400)).toBe(86_400_000);
});

it('reads Retry-After as seconds or as a date', () => {
  expect(readRetryAfter('120', 1_000)?.getTime()).toBe(121_000);
  expect(readRetryAfter('Wed, 21 Oct 2015 07:28:00 GMT')?.toISOString()).toBe('2015-10-21T07:28:00.000Z');
  for (const header of [undefined, '', 'soon', '-5x']) expect(readRetryAfter(header)).toBeUndefined();
});
