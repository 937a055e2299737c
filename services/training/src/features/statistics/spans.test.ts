import { type Part, partsOf } from './spans.ts';

const shown = ({ span, first, last, sign }: Part) => `${sign === 1 ? '+' : '-'} ${span} ${first} ${last}`;

it.each([
  ['all time', null, null, ['+ all 0001-01-01 9999-12-31']],
  [
    'few days beside whole months',
    '2026-01-17',
    '2026-04-02',
    ['+ day 2026-01-17 2026-01-31', '+ month 2026-02-01 2026-03-01', '+ day 2026-04-01 2026-04-02'],
  ],
  [
    'most days of the outer months',
    '2026-01-03',
    '2026-04-29',
    ['- day 2026-01-01 2026-01-02', '+ month 2026-01-01 2026-04-01', '- day 2026-04-30 2026-04-30'],
  ],
  ['whole months', '2025-12-01', '2026-02-28', ['+ month 2025-12-01 2026-02-01']],
  ['some days of one month', '2026-02-10', '2026-02-24', ['+ day 2026-02-10 2026-02-24']],
  [
    'most days of one month',
    '2026-03-02',
    '2026-03-30',
    ['- day 2026-03-01 2026-03-01', '+ month 2026-03-01 2026-03-01', '- day 2026-03-31 2026-03-31'],
  ],
  ['days of two months', '2026-01-30', '2026-02-02', ['+ day 2026-01-30 2026-01-31', '+ day 2026-02-01 2026-02-02']],
  ['a period without end', '2026-01-02', null, ['- day 2026-01-01 2026-01-01', '+ month 2026-01-01 9999-12-31']],
  ['a period without begin', null, '2026-02-01', ['+ month 0001-01-01 2026-01-01', '+ day 2026-02-01 2026-02-01']],
  ['the last day', '9998-12-31', '9998-12-31', ['+ day 9998-12-31 9998-12-31']],
  ['the first months', '0002-01-20', '0002-02-03', ['+ day 0002-01-20 0002-01-31', '+ day 0002-02-01 0002-02-03']],
])('the sums of %s', (_, from, to, parts) => {
  const used = partsOf({ from, to }).filter(({ first, last }) => first <= last);
  expect(used.map(shown)).toEqual(parts);
});

it('the sums of every period of a quarter cover each of its days once, and no other', () => {
  const days = Array.from({ length: 90 }, (_, index) =>
    new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10),
  );
  // The sum of a month begins on its first day.
  const covers = ({ span, first, last }: Part, day: string) => {
    const begin = span === 'month' ? `${day.slice(0, 7)}-01` : day;
    return first <= begin && begin <= last;
  };
  const wrong: string[] = [];
  for (const [index, from] of days.entries())
    for (const to of days.slice(index)) {
      const parts = partsOf({ from, to });
      for (const day of days) {
        const count = parts.filter((part) => covers(part, day)).reduce((sum, { sign }) => sum + sign, 0);
        if (count !== (from <= day && day <= to ? 1 : 0)) wrong.push(`${from} to ${to}: ${day} counts ${count} times`);
      }
    }
  expect(wrong).toEqual([]);
});
