import { checkRule, occurrences } from '@tandem/recurrence';
import { someFields } from './calendar.test-service.ts';
import { recurrenceFrom, ruleFrom } from './graph-recurrence.ts';

/** Monday, at nine in Berlin in winter. */
const monday = { startAt: '2027-03-01T08:00:00.000Z', endAt: '2027-03-01T09:00:00.000Z' };
const recurrence = (rule: string, startAt = monday.startAt) =>
  recurrenceFrom(someFields({ ...monday, startAt, recurrence: rule }), 'W. Europe Standard Time') as {
    pattern: Record<string, unknown>;
    range: Record<string, unknown>;
  };
const weekly = { type: 'weekly', interval: 1, firstDayOfWeek: 'monday' };

describe('a rule', () => {
  it.each([
    ['FREQ=DAILY', { type: 'daily', interval: 1 }],
    ['FREQ=DAILY;INTERVAL=3', { type: 'daily', interval: 3 }],
    ['FREQ=WEEKLY;BYDAY=MO', { ...weekly, daysOfWeek: ['monday'] }],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU',
      { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'sunday' },
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=1', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 1 }],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 30 }],
    [
      'FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO',
      { type: 'relativeMonthly', interval: 2, index: 'first', daysOfWeek: ['monday'] },
    ],
    ['FREQ=MONTHLY;BYDAY=-1FR', { type: 'relativeMonthly', interval: 1, index: 'last', daysOfWeek: ['friday'] }],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=4',
      { type: 'relativeMonthly', interval: 1, index: 'fourth', daysOfWeek: ['monday', 'tuesday'] },
    ],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=31', { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 31 }],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1', { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 }],
    [
      'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
      { type: 'relativeYearly', interval: 1, month: 11, index: 'fourth', daysOfWeek: ['thursday'] },
    ],
  ])('%s is a pattern, and the other way', (rule, pattern) => {
    const made = recurrence(rule);
    expect(made.pattern).toEqual(pattern);
    expect(made.range).toEqual({
      type: 'noEnd',
      startDate: '2027-03-01',
      recurrenceTimeZone: 'W. Europe Standard Time',
    });
    expect(ruleFrom(made)).toBe(rule);
    expect(checkRule(rule)).toBeUndefined();
  });

  it.each([
    ['FREQ=WEEKLY', 'FREQ=WEEKLY;BYDAY=MO'],
    ['FREQ=MONTHLY', 'FREQ=MONTHLY;BYMONTHDAY=1'],
    ['FREQ=YEARLY', 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1'],
    ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
    ['FREQ=MONTHLY;BYDAY=+1MO', 'FREQ=MONTHLY;BYDAY=1MO'],
    ['FREQ=WEEKLY;BYDAY=MO;WKST=SU', 'FREQ=WEEKLY;BYDAY=MO'],
  ])('%s is the same as %s', (rule, same) => expect(ruleFrom(recurrence(rule))).toBe(same));

  it.each([
    ['FREQ=DAILY;COUNT=12', { type: 'numbered', numberOfOccurrences: 12 }, 'FREQ=DAILY;COUNT=12'],
    ['FREQ=DAILY;UNTIL=20271231', { type: 'endDate', endDate: '2027-12-31' }, 'FREQ=DAILY;UNTIL=20271231'],
    // In Berlin, this is after nine on 1 January, and before nine on 31 December.
    ['FREQ=DAILY;UNTIL=20271231T230000Z', { type: 'endDate', endDate: '2027-12-31' }, 'FREQ=DAILY;UNTIL=20271231'],
    ['FREQ=DAILY;UNTIL=20271231T075959Z', { type: 'endDate', endDate: '2027-12-30' }, 'FREQ=DAILY;UNTIL=20271230'],
    ['FREQ=DAILY;UNTIL=20271231T080000Z', { type: 'endDate', endDate: '2027-12-31' }, 'FREQ=DAILY;UNTIL=20271231'],
  ])('%s ends', (rule, range, read) => {
    const made = recurrence(rule);
    expect(made.range).toMatchObject(range);
    expect(ruleFrom(made)).toBe(read);
  });

  it.each([
    'FREQ=MONTHLY;BYMONTHDAY=31',
    'FREQ=MONTHLY;BYMONTHDAY=1,15',
    'FREQ=MONTHLY;BYMONTHDAY=-2',
    'FREQ=MONTHLY;BYDAY=MO',
    'FREQ=MONTHLY;BYDAY=5MO',
    'FREQ=MONTHLY;BYDAY=1MO,3MO',
    'FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=1,2,3,4,5,6,7',
    'FREQ=MONTHLY;BYMONTH=3;BYMONTHDAY=1',
    'FREQ=DAILY;INTERVAL=2;BYDAY=MO,WE',
    'FREQ=DAILY;BYMONTH=3',
    'FREQ=WEEKLY;BYDAY=MO;BYMONTH=3',
    'FREQ=YEARLY;BYDAY=1MO',
    'FREQ=YEARLY;BYMONTH=3,6;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=HOURLY',
  ])('%s is refused', (rule) => {
    expect(() => recurrence(rule)).toThrow(expect.objectContaining({ failure: 'request_rejected' }));
  });
});

describe('a pattern', () => {
  const range = { type: 'noEnd' };
  it.each([
    [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 29 }, 'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1'],
    [{ type: 'absoluteYearly', interval: 1, month: 4, dayOfMonth: 31 }, 'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=-1'],
    [{ type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'] }, 'FREQ=MONTHLY;BYDAY=1MO'],
    [{ type: 'weekly', interval: 2, daysOfWeek: ['monday'] }, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU'],
  ])('%j is a rule', (pattern, rule) => expect(ruleFrom({ pattern, range })).toBe(rule));

  it.each([
    [30, ['2027-01-30', '2027-02-28', '2027-03-30', '2027-04-30']],
    [31, ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30']],
  ])('for day %i takes the last day of a shorter month, as Outlook does', (dayOfMonth, expected) => {
    const rrule = String(ruleFrom({ pattern: { type: 'absoluteMonthly', interval: 1, dayOfMonth }, range }));
    const start = new Date(`2027-01-${dayOfMonth}T09:00:00Z`);
    const found = occurrences({ rrule, timezone: 'UTC', start }, { from: start, to: new Date('2027-05-01'), max: 10 });
    expect(found.map((at) => at.toISOString().slice(0, 'YYYY-MM-DD'.length))).toEqual(expected);
  });

  it.each([
    [null],
    [[]],
    [{ pattern: { type: 'hourly', interval: 1 }, range }],
    [{ pattern: { type: 'daily', interval: 1.5 }, range }],
    [{ pattern: { type: 'daily', interval: 1 }, range: { type: 'endDate', endDate: '2027-02-30' } }],
    [{ pattern: { type: 'daily', interval: 1 }, range: { type: 'numbered', numberOfOccurrences: '7' } }],
    [{ pattern: { type: 'daily', interval: 1 } }],
    [{ pattern: { type: 'weekly', interval: 1, daysOfWeek: ['someday'] }, range }],
    [{ pattern: { type: 'relativeMonthly', interval: 1, index: 'constructor', daysOfWeek: ['monday'] }, range }],
    [{ pattern: { type: 'absoluteYearly', interval: 1, month: 13, dayOfMonth: 1 }, range }],
  ])('%j is no rule', (value) => expect(ruleFrom(value)).toBeNull());
});
