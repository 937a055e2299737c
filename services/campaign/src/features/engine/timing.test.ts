import { after, openFrom } from './timing.ts';

// The clocks of Berlin go forward from 02:00 to 03:00 on 2026-03-29, and back from 03:00 to 02:00 on 2026-10-25.
const berlin = 'Europe/Berlin';
const at = (time: string) => new Date(time);

it.each([
  ['a day later at the same time, after 23 hours', '2026-03-28T09:00:00Z', 1, 'days', '2026-03-29T08:00:00.000Z'],
  ['a day later at the same time, after 25 hours', '2026-10-24T08:00:00Z', 1, 'days', '2026-10-25T09:00:00.000Z'],
  ['a week later at the same time in spring', '2026-03-26T09:00:00Z', 1, 'weeks', '2026-04-02T08:00:00.000Z'],
  ['a week later at the same time in autumn', '2026-10-22T08:00:00Z', 1, 'weeks', '2026-10-29T09:00:00.000Z'],
  ['24 hours later, whatever the clocks show', '2026-03-28T09:00:00Z', 24, 'hours', '2026-03-29T09:00:00.000Z'],
  ['90 minutes later, whatever the clocks show', '2026-10-25T00:00:00Z', 90, 'minutes', '2026-10-25T01:30:00.000Z'],
  ['at a time that the clocks skip, an hour later', '2026-03-28T01:30:00Z', 1, 'days', '2026-03-29T01:30:00.000Z'],
  ['the first time that the clocks show it', '2026-10-24T00:30:00Z', 1, 'days', '2026-10-25T00:30:00.000Z'],
  ['a day and a half later', '2026-03-28T09:00:00Z', 1.5, 'days', '2026-03-29T20:00:00.000Z'],
  ['half a day later, within the repeated hour', '2026-10-25T01:30:00Z', 0.5, 'days', '2026-10-25T13:30:00.000Z'],
  ['at once, within the repeated hour', '2026-10-25T01:30:00Z', 0, 'days', '2026-10-25T01:30:00.000Z'],
] as const)('a wait ends %s', (_case, from, duration, durationUnit, end) =>
  expect(after(at(from), { duration, durationUnit }, berlin).toISOString()).toBe(end),
);

const morning = { from: '09:00', to: '17:00' };
const night = { quietHours: { from: '20:00', to: '08:00' } };
const skipped = { from: '02:30', to: '05:00' };

it.each([
  ['before the clocks go forward', [morning], '2026-03-28T16:00:00Z', '2026-03-29T07:00:00.000Z'],
  ['before the clocks go back', [morning], '2026-10-24T15:00:00Z', '2026-10-25T08:00:00.000Z'],
  ['in quiet hours that are an hour shorter', [night], '2026-03-28T19:00:00Z', '2026-03-29T06:00:00.000Z'],
  ['in quiet hours that are an hour longer', [night], '2026-10-24T18:00:00Z', '2026-10-25T07:00:00.000Z'],
  ['at an opening that the clocks skip', [skipped], '2026-03-29T00:45:00Z', '2026-03-29T01:30:00.000Z'],
  ['at an opening that they show twice', [skipped], '2026-10-25T00:15:00Z', '2026-10-25T00:30:00.000Z'],
  ['after the first of these openings', [skipped], '2026-10-25T01:15:00Z', '2026-10-25T01:30:00.000Z'],
  ['on a day without messages', [{ workingDays: [1] }], '2026-10-25T12:00:00Z', '2026-10-25T23:00:00.000Z'],
  ['in one of two windows', [night, { ...morning, days: [1] }], '2026-03-28T12:00:00Z', '2026-03-30T07:00:00.000Z'],
  ['in a window of the evening before', [{ from: '22:00', to: '06:00', days: [6] }], '2026-03-29T02:00:00Z', undefined],
  [
    'between windows that exclude each other',
    [{ workingDays: [1] }, { ...morning, days: [2] }],
    '2026-03-29T12:00:00Z',
    undefined,
  ],
])('messages are sent from the first open time on: %s', (_case, windows, from, opens) =>
  expect(openFrom(at(from), berlin, windows).toISOString()).toBe(opens ?? at(from).toISOString()),
);
