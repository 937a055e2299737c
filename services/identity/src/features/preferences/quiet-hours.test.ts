import { quietUntil } from './quiet-hours.ts';

const night = (timezone: string, start = '22:00', end = '07:00') => ({ start, end, timezone });
const until = (hours: Parameters<typeof quietUntil>[0], at: string) => quietUntil(hours, new Date(at))?.toISOString();

it.each([
  ['before midnight', night('Europe/Berlin'), '2026-01-15T22:30:00Z', '2026-01-16T06:00:00.000Z'],
  ['after midnight', night('Europe/Berlin'), '2026-01-16T02:00:00Z', '2026-01-16T06:00:00.000Z'],
  ['at their first minute', night('Europe/Berlin'), '2026-01-15T21:00:00Z', '2026-01-16T06:00:00.000Z'],
  ['within one day', night('UTC', '12:00', '13:30'), '2026-01-15T12:10:00Z', '2026-01-15T13:30:00.000Z'],
  ['at the end of a year', night('Pacific/Kiritimati'), '2026-12-31T09:00:00Z', '2026-12-31T17:00:00.000Z'],
  ['when clocks are set forward', night('Europe/Berlin'), '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['when clocks are set back', night('America/New_York'), '2026-11-01T03:00:00Z', '2026-11-01T12:00:00.000Z'],
  [
    'whose end the clocks skip',
    night('Europe/Berlin', '22:00', '02:30'),
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'in the second of two equal hours',
    night('Europe/Berlin', '22:00', '02:30'),
    '2026-10-25T01:15:00Z',
    '2026-10-25T01:30:00.000Z',
  ],
  [
    'in the first of two equal hours',
    night('Europe/Berlin', '22:00', '02:30'),
    '2026-10-25T00:15:00Z',
    '2026-10-25T00:30:00.000Z',
  ],
])('quiet hours %s end at the time on the clock', (_case, hours, at, end) => {
  expect(until(hours, at)).toBe(end);
});

it.each([
  ['at their end', night('Europe/Berlin'), '2026-01-16T06:00:00Z'],
  ['by day', night('Europe/Berlin'), '2026-01-15T12:00:00Z'],
  ['without quiet hours', null, '2026-01-15T23:00:00Z'],
])('nothing is quiet %s', (_case, hours, at) => {
  expect(until(hours, at)).toBeUndefined();
});
