import {
  checkRule,
  continuedFrom,
  endedBefore,
  lastOccurrence,
  nextOccurrence,
  occurrences,
  type Series,
} from './index.ts';

const series = (rrule: string, start: string, timezone = 'Europe/Berlin'): Series => ({
  rrule,
  timezone,
  start: new Date(start),
});
const between = (one: Series, from: string, to: string, max = 100) =>
  occurrences(one, { from: new Date(from), to: new Date(to), max }).map((at) => at.toISOString());

describe('occurrences', () => {
  it.each([
    // The clocks of Berlin go forward on 29 March 2026 and back on 25 October 2026.
    [
      'weekly across the change to summer time',
      series('FREQ=WEEKLY;BYDAY=MO', '2026-03-16T08:00:00Z'),
      ['2026-03-16T08:00:00.000Z', '2026-03-23T08:00:00.000Z', '2026-03-30T07:00:00.000Z', '2026-04-06T07:00:00.000Z'],
      ['2026-03-01T00:00:00Z', '2026-04-07T00:00:00Z'],
    ],
    [
      'daily across the change to winter time',
      series('FREQ=DAILY', '2026-10-24T07:00:00Z'),
      ['2026-10-24T07:00:00.000Z', '2026-10-25T08:00:00.000Z', '2026-10-26T08:00:00.000Z'],
      ['2026-10-24T00:00:00Z', '2026-10-27T00:00:00Z'],
    ],
    [
      'daily in an hour that the clocks skip once',
      series('FREQ=DAILY', '2026-03-28T01:30:00Z'),
      ['2026-03-28T01:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z'],
      ['2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'],
    ],
    [
      'daily in an hour that the clocks show twice',
      series('FREQ=DAILY;COUNT=3', '2026-10-24T00:30:00Z'),
      ['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
      ['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'],
    ],
    [
      'on the local day, which is another one in UTC',
      series('FREQ=WEEKLY;BYDAY=MO', '2026-03-01T23:30:00Z', 'Asia/Tokyo'),
      ['2026-03-01T23:30:00.000Z', '2026-03-08T23:30:00.000Z'],
      ['2026-03-01T00:00:00Z', '2026-03-10T00:00:00Z'],
    ],
    [
      'the last weekday of the month',
      series('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2026-01-30T09:00:00.250Z'),
      ['2026-01-30T09:00:00.250Z', '2026-02-27T09:00:00.250Z', '2026-03-31T08:00:00.250Z'],
      ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ],
    [
      'until an instant',
      series('FREQ=DAILY;UNTIL=20260330T070000Z', '2026-03-28T08:00:00Z'),
      ['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z', '2026-03-30T07:00:00.000Z'],
      ['2026-03-01T00:00:00Z', '2026-05-01T00:00:00Z'],
    ],
    [
      'until the end of a local day',
      series('FREQ=DAILY;UNTIL=20260329', '2026-03-28T22:30:00Z'),
      ['2026-03-28T22:30:00.000Z', '2026-03-29T21:30:00.000Z'],
      ['2026-03-01T00:00:00Z', '2026-05-01T00:00:00Z'],
    ],
  ])('%s', (_case, one, expected, [from, to]) => {
    expect(between(one, from as string, to as string)).toEqual(expected);
  });

  it('begins with the start, ends before `to`, and has at most `max`', () => {
    const daily = series('FREQ=DAILY', '2026-03-10T08:00:00Z');
    expect(between(daily, '2026-01-01T00:00:00Z', '2026-03-12T08:00:00Z')).toHaveLength(2);
    expect(between(daily, '2026-03-11T08:00:00Z', '2026-03-13T08:00:01Z')).toHaveLength(3);
    expect(between(daily, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 5)).toHaveLength(5);
  });

  it('keeps the phase of an old rule with an interval', () => {
    const every3 = series('FREQ=DAILY;INTERVAL=3', '2020-01-01T08:00:00Z');
    const biweekly = series('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', '2020-01-06T08:00:00Z');
    for (const one of [every3, biweekly]) {
      const all = between(one, '2020-01-01T00:00:00Z', '2026-02-01T00:00:00Z', 5_000);
      expect(between(one, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z')).toEqual(
        all.filter((at) => at >= '2026-01-01'),
      );
    }
  });
});

describe('nextOccurrence', () => {
  it('is the first one after an instant, which itself does not count', () => {
    const weekly = series('FREQ=WEEKLY', '2026-03-23T08:00:00Z');
    expect(nextOccurrence(weekly, new Date('2026-03-23T08:00:00Z'))?.toISOString()).toBe('2026-03-30T07:00:00.000Z');
    expect(nextOccurrence(weekly, new Date('2026-01-01T00:00:00Z'))?.toISOString()).toBe('2026-03-23T08:00:00.000Z');
  });

  it('is missing after the end of the rule, and finds a rare one', () => {
    const twice = series('FREQ=DAILY;COUNT=2', '2026-03-10T08:00:00Z');
    expect(nextOccurrence(twice, new Date('2026-03-11T08:00:00Z'))).toBeUndefined();
    const leapDay = series('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-02-29T08:00:00Z');
    expect(nextOccurrence(leapDay, new Date('2028-03-01T00:00:00Z'))?.toISOString()).toBe('2032-02-29T08:00:00.000Z');
  });

  it('is missing for a rule that never matches', () => {
    const never = series('FREQ=DAILY;INTERVAL=7;BYDAY=MO', '2026-03-10T08:00:00Z');
    expect(nextOccurrence(never, new Date('2026-03-11T08:00:00Z'))).toBeUndefined();
  });
});

describe('a series that is split at an occurrence', () => {
  const five = series('FREQ=WEEKLY;COUNT=5', '2026-03-16T08:00:00Z');
  const third = new Date('2026-03-30T07:00:00Z');

  it('ends before it, and continues with the remaining occurrences', () => {
    const before = endedBefore(five, third);
    const after = continuedFrom(five, third);
    expect([before, after]).toEqual(['FREQ=WEEKLY;UNTIL=20260330T065959Z', 'FREQ=WEEKLY;COUNT=3']);
    const all = (one: Series) => between(one, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
    expect([...all({ ...five, rrule: before }), ...all({ ...five, rrule: after, start: third })]).toEqual(all(five));
  });

  it('keeps a rule without COUNT', () => {
    expect(continuedFrom(series('FREQ=DAILY;UNTIL=20261231', '2026-03-16T08:00:00Z'), third)).toBe(
      'FREQ=DAILY;UNTIL=20261231',
    );
  });
});

it.each([
  ['FREQ=WEEKLY;COUNT=3', '2026-03-30T07:00:00.000Z'],
  ['FREQ=WEEKLY;UNTIL=20260401T000000Z', '2026-04-01T00:00:00.999Z'],
  ['FREQ=WEEKLY', undefined],
])('the last occurrence of %s is known', (rule, last) => {
  expect(lastOccurrence(series(rule, '2026-03-16T08:00:00Z'))?.toISOString()).toBe(last);
});

describe('an old series', () => {
  const old = '0001-01-31T09:00:00Z';

  it.each([
    ['FREQ=MONTHLY', old, ['2027-01-31T09:00:00.000Z', '2027-03-31T09:00:00.000Z']],
    ['FREQ=MONTHLY;INTERVAL=7', '0001-05-01T09:00:00Z', ['2027-04-01T09:00:00.000Z']],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', old, ['2027-01-29T09:00:00.000Z', '2027-02-26T09:00:00.000Z']],
    ['FREQ=YEARLY', '1804-02-29T09:00:00Z', []],
    ['FREQ=YEARLY;INTERVAL=3', '0001-03-31T09:00:00Z', []],
  ])('has the occurrences of %s without those before them', (rule, start, expected) => {
    const found = between(series(rule, start, 'UTC'), '2027-01-10T00:00:00Z', '2027-05-01T00:00:00Z');
    expect(found.slice(0, expected.length || 1)).toEqual(expected);
  });

  it.each([
    ['1804-02-29T09:00:00Z', '2028-02-29T09:00:00.000Z'],
    ['2000-02-29T09:00:00Z', '2028-02-29T09:00:00.000Z'],
  ])('finds 29 February from %s', (start, expected) => {
    expect(between(series('FREQ=YEARLY', start, 'UTC'), '2027-01-01T00:00:00Z', '2030-01-01T00:00:00Z')).toEqual([
      expected,
    ]);
  });

  it('is refused before 1970', () => {
    expect(checkRule('FREQ=DAILY', { timezone: 'UTC', start: new Date(old) })).toBe('Must start in 1970 or later');
  });
});

describe('checkRule', () => {
  const start = { timezone: 'Europe/Berlin', start: new Date('2026-03-16T08:00:00Z') };

  it.each([
    'FREQ=DAILY',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU',
    'FREQ=MONTHLY;BYDAY=3MO;COUNT=12',
    'FREQ=MONTHLY;BYMONTHDAY=16,-1;UNTIL=20271231T225959Z',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=3MO;UNTIL=20301231',
  ])('accepts %s', (rule) => expect(checkRule(rule, start)).toBeUndefined());

  it.each([
    ['', 'Must be a recurrence rule'],
    ['every monday', 'Must be a recurrence rule'],
    ['RRULE:FREQ=DAILY', 'Must be a recurrence rule'],
    ['FREQ=DAILY\nEXDATE:20260316', 'FREQ must be one of'],
    ['FREQ=HOURLY', 'FREQ must be one of'],
    ['FREQ=DAILY;BYHOUR=9', 'Must be a recurrence rule'],
    ['FREQ=DAILY;FREQ=WEEKLY', 'Must name each part once'],
    ['FREQ=DAILY;COUNT=0', 'COUNT must be'],
    ['FREQ=DAILY;COUNT=1001', 'COUNT must be'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL must be'],
    ['FREQ=DAILY;COUNT=5;UNTIL=20261231', 'Must have COUNT or UNTIL'],
    ['FREQ=DAILY;UNTIL=20261332', 'UNTIL must have'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY must have'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY may have numbered days'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY does not apply'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY must have'],
    ['FREQ=DAILY;BYMONTH=2,4;BYMONTHDAY=31', 'BYMONTHDAY must be a day of at least one month'],
    ['FREQ=DAILY;BYSETPOS=2', 'BYSETPOS does not apply'],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must have'],
    ['FREQ=WEEKLY;BYDAY=TU', 'Must have an occurrence at the start'],
    ['FREQ=DAILY;BYMONTH=3;BYMONTHDAY=16;COUNT=20', 'COUNT must be reached within 10 years'],
    ['FREQ=YEARLY;COUNT=101', 'COUNT must be reached within 100 years'],
    [`FREQ=YEARLY;BYMONTHDAY=${'1,'.repeat(300)}1`, 'Must be at most 500 characters'],
  ])('refuses %s', (rule, message) => expect(checkRule(rule, start)).toContain(message));
});
