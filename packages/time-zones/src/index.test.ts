import {
  atOrAfterGap,
  dayOf,
  fromWallClock,
  minutesOfDay,
  monthAfter,
  monthOf,
  nextMidnight,
  nextTime,
  startOfDay,
  startOfMonth,
  wallClock,
} from './index.ts';

it.each([
  ['2026-03-04T22:59:59.500Z', 'Europe/Berlin', '2026-03-04T23:00:00.000Z'],
  ['2026-03-04T23:00:00.000Z', 'Europe/Berlin', '2026-03-05T23:00:00.000Z'],
  // The clocks go forward on 29 March and back on 25 October.
  ['2026-03-29T00:30:00.000Z', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25T00:30:00.000Z', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-11-01T04:00:00.000Z', 'America/New_York', '2026-11-02T05:00:00.000Z'],
  ['2026-12-31T10:00:00.000Z', 'Pacific/Kiritimati', '2027-01-01T10:00:00.000Z'],
  ['2026-12-31T18:00:00.000Z', 'Asia/Kolkata', '2026-12-31T18:30:00.000Z'],
  ['2026-01-01T05:00:00.000Z', 'Pacific/Honolulu', '2026-01-01T10:00:00.000Z'],
  ['2026-02-28T12:00:00.000Z', 'UTC', '2026-03-01T00:00:00.000Z'],
])('the day of %s in %s ends at %s', (now, zone, end) =>
  expect(nextMidnight(new Date(now), zone).toISOString()).toBe(end),
);

it.each([
  ['2026-03', 'Europe/Berlin', '2026-02-28T23:00:00.000Z'],
  ['2026-04', 'Europe/Berlin', '2026-03-31T22:00:00.000Z'],
  ['2026-11', 'Europe/Berlin', '2026-10-31T23:00:00.000Z'],
  // New York changes its clocks during 1 November, after midnight.
  ['2026-11', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ['2026-12', 'America/New_York', '2026-12-01T05:00:00.000Z'],
  ['2027-01', 'Pacific/Kiritimati', '2026-12-31T10:00:00.000Z'],
])('the month %s begins in %s at %s', (month, zone, start) => {
  const at = startOfMonth(month, zone);
  expect(at.toISOString()).toBe(start);
  expect([monthOf(at, zone), monthAfter(monthOf(new Date(at.getTime() - 1), zone))]).toEqual([month, month]);
});

it('a day begins when its midnight does not exist', () => {
  // Cuba sets its clocks forward at midnight.
  const start = startOfDay('2026-03-08', 'America/Havana');
  expect(start.toISOString()).toBe('2026-03-08T05:00:00.000Z');
  expect([dayOf(start, 'America/Havana'), minutesOfDay(start, 'America/Havana')]).toEqual(['2026-03-08', 60]);
});

it.each([
  ['the same day', 'Europe/Berlin', '2026-01-16T02:00:00Z', 420, '2026-01-16T06:00:00.000Z'],
  ['the next day', 'Europe/Berlin', '2026-01-16T06:00:00Z', 420, '2026-01-17T06:00:00.000Z'],
  ['when the clocks skip it', 'Europe/Berlin', '2026-03-29T00:00:00Z', 150, '2026-03-29T01:30:00.000Z'],
  ['the second time', 'Europe/Berlin', '2026-10-25T00:45:00Z', 150, '2026-10-25T01:30:00.000Z'],
  ['at the end of a year', 'Pacific/Kiritimati', '2026-12-31T09:00:00Z', 420, '2026-12-31T17:00:00.000Z'],
])('the clock shows a time %s', (_case, zone, at, minutes, next) =>
  expect(nextTime(new Date(at), minutes, zone).toISOString()).toBe(next),
);

it.each([
  ['in winter', '2026-01-16T08:30:00.000Z', 'Europe/Berlin', '2026-01-16T09:30:00.000Z'],
  ['in summer', '2026-07-16T07:30:00.250Z', 'Europe/Berlin', '2026-07-16T09:30:00.250Z'],
  ['the first time of a repeated hour', '2026-10-25T00:30:00.000Z', 'Europe/Berlin', '2026-10-25T02:30:00.000Z'],
])('the clock of a zone is read and set: %s', (_case, at, zone, shown) => {
  expect(wallClock(new Date(at), zone).toISOString()).toBe(shown);
  expect(fromWallClock(new Date(shown), zone).toISOString()).toBe(at);
});

it('a time that the clocks skip is read as if they had not been set forward', () => {
  expect(fromWallClock(new Date('2026-03-29T02:30:00Z'), 'Europe/Berlin').toISOString()).toBe(
    '2026-03-29T01:30:00.000Z',
  );
});

it.each([
  ['the first time of a gap', '2026-03-29T02:00:00.000Z', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['a time in a gap', '2026-03-29T02:30:00.000Z', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['a day that was skipped', '2011-12-30T09:00:00.000Z', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ['a time that is shown twice', '2026-10-25T02:30:00.000Z', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
])('%s is the first instant at which the clocks show it or more', (_case, shown, zone, at) => {
  expect(atOrAfterGap(new Date(shown), zone).toISOString()).toBe(at);
});
