import { nextTimeOf, type Timetable, timetableOf } from './schedule-times.ts';

const berlin = 'Europe/Berlin';

/** The next times of a timetable. */
function timesOf(timetable: Timetable, from: string, count: number, timezone = berlin): string[] {
  const times: string[] = [];
  let after = new Date(from);
  for (let index = 0; index < count; index++) {
    after = nextTimeOf(timetable, timezone, after) as Date;
    times.push(after.toISOString().slice(0, 16));
  }
  return times;
}

const daily = (time: string) => timetableOf({ frequency: 'daily', time });

it('keeps the time of the day when the clocks change', () => {
  expect(timesOf(daily('08:00'), '2026-03-27T12:00:00Z', 3)).toEqual([
    '2026-03-28T07:00',
    '2026-03-29T06:00',
    '2026-03-30T06:00',
  ]);
});

it('moves a time that the clocks skip to the first one after the gap, on that day only', () => {
  expect(timesOf(daily('02:30'), '2026-03-28T00:00:00Z', 3)).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
});

it('counts a time that the clocks show twice once', () => {
  expect(timesOf(daily('02:30'), '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
  // From within the second hour too.
  expect(timesOf(daily('02:30'), '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-26T01:30']);
});

it('takes times in a gap that are the same instant for one', () => {
  const hourly = timetableOf({ cron: '0 2,3 * * *' });
  expect(timesOf(hourly, '2026-03-29T00:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:00']);
});

it('is on the day of the week, or of the month', () => {
  const monday = timetableOf({ frequency: 'weekly', weekday: 1 });
  expect(timesOf(monday, '2026-11-28T00:00:00Z', 2, 'UTC')).toEqual(['2026-11-30T08:00', '2026-12-07T08:00']);
  expect(timesOf(timetableOf({ frequency: 'weekly', weekday: 7 }), '2026-11-28T00:00:00Z', 1, 'UTC')).toEqual([
    '2026-11-29T08:00',
  ]);
});

it.each([
  [31, ['01-31', '02-28', '03-31', '04-30']],
  [30, ['01-30', '02-28', '03-30', '04-30']],
  [29, ['01-29', '02-28', '03-29', '04-29']],
  [28, ['01-28', '02-28', '03-28', '04-28']],
])('is on day %i, or on the last day of a shorter month', (dayOfMonth, expected) => {
  const monthly = timetableOf({ frequency: 'monthly', dayOfMonth });
  const found = timesOf(monthly, '2027-01-02T00:00:00Z', 4, 'UTC').map((time) => time.slice(5, 10));
  expect(found).toEqual(expected);
});

it('is on 29 February in a leap year', () => {
  const monthly = timetableOf({ frequency: 'monthly', dayOfMonth: 29 });
  expect(timesOf(monthly, '2028-02-01T00:00:00Z', 2, 'UTC')).toEqual(['2028-02-29T08:00', '2028-03-29T08:00']);
});

it.each(['* * * * *', '*/5 * * * *', '0,30 8 * * *', '0 8 31 2 *', '0 8 * *', '0 0 8 * * *', '@daily', 'x'])(
  'rejects the expression %s',
  (cron) => {
    expect(() => timetableOf({ cron })).toThrow('Validation failed');
  },
);

it.each([
  { frequency: 'daily', weekday: 3 },
  { frequency: 'weekly', dayOfMonth: 3 },
  { frequency: 'monthly', weekday: 3 },
  { cron: '0 8 * * *', time: '09:00' },
] as const)('rejects what has no effect: %j', (given) => {
  expect(() => timetableOf(given)).toThrow('Validation failed');
});

it('replaces a frequency by an expression, and the other way round', () => {
  const weekly = timetableOf({ frequency: 'weekly', time: '07:00', weekday: 3 });
  const cron = timetableOf({ cron: '0 9 1 * *' }, weekly);
  expect(cron).toMatchObject({ frequency: null, time: null, weekday: null, cron: '0 9 1 * *' });
  expect(timetableOf({ frequency: 'daily' }, cron)).toMatchObject({ frequency: 'daily', time: '08:00', cron: null });
  expect(timetableOf({ time: '10:00' }, weekly)).toEqual({ ...weekly, time: '10:00' });
});
