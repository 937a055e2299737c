import { partsOf } from './spans.ts';

it.each([
  ['all time', null, null, ['all 0001-01-01 9999-12-31']],
  [
    'days beside whole months',
    '2026-01-15',
    '2026-04-02',
    ['day 2026-01-15 2026-01-31', 'month 2026-02-01 2026-03-31', 'day 2026-04-01 2026-04-02'],
  ],
  ['whole months', '2025-12-01', '2026-02-28', ['month 2025-12-01 2026-02-28']],
  ['days of one month', '2026-02-02', '2026-02-27', ['day 2026-02-02 2026-02-27']],
  ['days of two months', '2026-01-30', '2026-02-02', ['day 2026-01-30 2026-02-02']],
  ['a period without end', '2026-01-02', null, ['day 2026-01-02 2026-01-31', 'month 2026-02-01 9999-12-31']],
  ['a period without begin', null, '2026-02-01', ['month 0001-01-01 2026-01-31', 'day 2026-02-01 2026-02-01']],
  ['the last day', '9998-12-31', '9998-12-31', ['day 9998-12-31 9998-12-31']],
])('the sums of %s cover each day once', (_, from, to, parts) => {
  const covered = partsOf({ from, to }).filter(({ first, last }) => first <= last);
  expect(covered.map(({ span, first, last }) => `${span} ${first} ${last}`)).toEqual(parts);
});
