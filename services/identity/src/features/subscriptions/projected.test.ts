import { projected } from './get-subscription-usage.ts';

const period = { start: new Date('2026-06-01T00:00:00Z'), end: new Date('2026-07-01T00:00:00Z') };

it.each([
  ['2026-06-01T00:00:00.000Z', 0, 0],
  ['2026-06-01T00:00:00.000Z', 3, 2_160],
  ['2026-06-01T00:00:00.001Z', 3, 2_160],
  ['2026-06-16T00:00:00.000Z', 500, 1_000],
  ['2026-07-01T00:00:00.000Z', 500, 500],
])('at %s a period with %d calls is projected to have %d', (until, used, expected) => {
  expect(projected(used, period, new Date(until))).toBe(expected);
});
