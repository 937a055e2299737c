import { monthsOf } from './months.ts';

const since = (at: string, timezone: string) => ({ timezone, since: new Date(at) });
const bounds = (months: ReturnType<typeof monthsOf>, month: string) => {
  const { start, end } = months.boundsOf(month);
  return [start.toISOString(), end.toISOString()];
};

it.each([
  ['Europe/Berlin', '2026-03', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z'],
  ['America/New_York', '2026-03', '2026-03-01T05:00:00.000Z', '2026-04-01T04:00:00.000Z'],
  ['America/New_York', '2026-11', '2026-11-01T04:00:00.000Z', '2026-12-01T05:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-12', '2026-11-30T10:00:00.000Z', '2026-12-31T10:00:00.000Z'],
])('in %s, %s has the bounds of its clock', (zone, month, start, end) => {
  const months = monthsOf([since('2026-01-01T00:00:00Z', zone)]);
  expect(bounds(months, month)).toEqual([start, end]);
  const [first, after] = [new Date(start), new Date(end)];
  expect(months.of(first)).toBe(month);
  expect(months.of(new Date(after.getTime() - 1))).toBe(month);
  expect(months.of(after)).not.toBe(month);
});

it('without a known zone the months are those of UTC', () => {
  expect(bounds(monthsOf([]), '2026-02')).toEqual(['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']);
});

it('months before a change of the zone keep their bounds', () => {
  const months = monthsOf([
    since('2026-01-01T00:00:00Z', 'Europe/Berlin'),
    since('2026-04-15T00:00:00Z', 'America/New_York'),
  ]);
  expect(bounds(months, '2026-03')).toEqual(['2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z']);
  expect(bounds(months, '2026-04')).toEqual(['2026-03-31T22:00:00.000Z', '2026-05-01T04:00:00.000Z']);
});

it('a month that has begun stays begun when the zone moves west', () => {
  const months = monthsOf([
    since('2026-01-01T00:00:00Z', 'Pacific/Kiritimati'),
    since('2026-03-31T11:00:00Z', 'America/New_York'),
  ]);
  expect(bounds(months, '2026-04')).toEqual(['2026-03-31T10:00:00.000Z', '2026-05-01T04:00:00.000Z']);
  expect(months.of(new Date('2026-03-31T09:59:59.999Z'))).toBe('2026-03');
  expect(months.of(new Date('2026-03-31T12:00:00Z'))).toBe('2026-04');
});

it('a month begins with the change when the zone moves east past its start', () => {
  const months = monthsOf([
    since('2026-01-01T00:00:00Z', 'America/New_York'),
    since('2026-03-31T11:00:00Z', 'Pacific/Kiritimati'),
  ]);
  expect(bounds(months, '2026-04')).toEqual(['2026-03-31T11:00:00.000Z', '2026-04-30T10:00:00.000Z']);
  expect(months.of(new Date('2026-03-31T10:59:59.999Z'))).toBe('2026-03');
  expect(months.of(new Date('2026-03-31T11:00:00Z'))).toBe('2026-04');
});
