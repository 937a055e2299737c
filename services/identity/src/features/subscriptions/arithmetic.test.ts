import { explainChange, shareOf } from './arithmetic.ts';

it.each([
  [2_900, 15, 30, 1_450],
  [9_900, 1, 31, 319],
  [1, 15, 30, 1],
  [1, 14, 30, 0],
  [49_900, 30, 30, 49_900],
  [2_900, 0, 30, 0],
])('the share of %d minor units for %d of %d days is %d, rounded half up', (minor, days, inPeriod, expected) => {
  expect(shareOf(minor, days, inPeriod)).toBe(expected);
});

const change = (now: string, when: 'now' | 'period_end' = 'now', isPaid = true) =>
  explainChange({ from: 'starter', to: 'pro', now: new Date(now), when, isPaid });

it('counts the day of the change as remaining, from the first to the last instant of a month', () => {
  expect(change('2026-11-01T00:00:00.000Z')).toMatchObject({ daysLeft: 30, credit: 29, charge: 99, due: 70 });
  expect(change('2026-11-16T12:00:00Z')).toMatchObject({ daysLeft: 15, daysInPeriod: 30, credit: 14.5, charge: 49.5 });
  expect(change('2026-11-30T23:59:59.999Z')).toMatchObject({ daysLeft: 1, credit: 0.97, charge: 3.3, due: 2.33 });
  expect(change('2028-02-29T00:00:00Z')).toMatchObject({ daysLeft: 1, daysInPeriod: 29 });
});

it('credits nothing that was not paid, and nothing at the end of a period', () => {
  expect(change('2026-11-16T12:00:00Z', 'now', false)).toMatchObject({ credit: 0, charge: 49.5, due: 49.5 });
  expect(change('2026-11-16T12:00:00Z', 'period_end')).toMatchObject({
    effectiveAt: new Date('2026-12-01T00:00:00Z'),
    credit: 0,
    charge: 0,
    due: 0,
  });
});
