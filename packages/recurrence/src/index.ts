/**
 * Expands recurrence rules (RRULE of RFC 5545) in a time zone. The clock time of the start stays the same across clock
 * changes: a weekly call at nine is at nine in summer and in winter.
 */
import { fromWallClock, wallClock } from '@tandem/time-zones';
import rrule from 'rrule';

export { checkCron, nextByCron } from './cron.ts';

const { RRule } = rrule;

/** A recurring appointment: its rule, the zone of its clock time, and its first occurrence. */
export interface Series {
  /** Without the prefix `RRULE:`, such as `FREQ=WEEKLY;BYDAY=MO`. */
  rrule: string;
  timezone: string;
  start: Date;
}

/** A period with the maximum number of occurrences to return; `to` is not part of it. */
export interface Window {
  from: Date;
  to: Date;
  max: number;
}

/** Maximum length of a rule. */
export const ruleMax = 500;
/** Maximum of COUNT and INTERVAL. */
export const countMax = 1_000;

const partsAllowed = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTH', 'BYMONTHDAY', 'BYSETPOS', 'WKST'];
const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const dayMs = 86_400_000;
// The Gregorian calendar repeats after 400 years, weekdays included.
const cycleYears = 400;
// Enough for a rule that matches once in 28 years, such as a Monday that is 29 February.
const horizonYears = 40;
const yearMax = 9_999;
// The past occurrences of a rule with COUNT are computed each time it is expanded.
const earliestStart = new Date('1970-01-01T00:00:00Z');
/** Years within which a rule must reach its COUNT, which is some thousand steps of its frequency at most. */
const countYears = { DAILY: 10, WEEKLY: 50, MONTHLY: 100, YEARLY: 100 };
const countYearsMax = 100;
// Occurrences of the days that the period is wider: a rule has at most one a day, at the time of its start.
const marginMax = 3;

/**
 * Checks a rule.
 * @param start also requires that the rule has an occurrence at this start
 * @returns what is wrong, for the error of the field; undefined for a valid rule
 */
export function checkRule(rule: string, start?: Omit<Series, 'rrule'>): string | undefined {
  const fault = faultOf(rule);
  if (fault !== undefined || !start) return fault;
  const series = { rrule: rule, ...start };
  const from = start.start;
  if (from < earliestStart) return 'Must start in 1970 or later';
  const [first] = occurrences(series, { from, to: new Date(from.getTime() + 1), max: 1 });
  if (!first) return 'Must have an occurrence at the start; change the rule or the start';
  const { count } = parsed(rule).options;
  return count && counted(series, count).length < count
    ? `COUNT must be reached within ${countYearsOf(series)} years`
    : undefined;
}

/** The occurrences of a valid rule within a period, in order. */
export function occurrences(series: Series, { from, to, max }: Window): Date[] {
  if (to <= from || max < 1) return [];
  const { options, until } = parsed(series.rrule);
  const { timezone } = series;
  // An occurrence in a skipped hour is later than its clock time, so the period is a day wider for the rule.
  const first = new Date(wallClock(from, timezone).getTime() - dayMs);
  const last = new Date(wallClock(to, timezone).getTime() + dayMs);
  const years = shiftOf(last);
  const start = forwarded(wallClock(series.start, timezone), first, options);
  const rule = new RRule({ ...options, dtstart: shifted(start, years) });
  const found: Date[] = [];
  for (const at of ruleBetween(rule, shifted(first, years), shifted(last, years), max + marginMax)) {
    const instant = fromWallClock(shifted(at, -years), timezone);
    if (instant < from || instant >= to || instant < series.start) continue;
    if (until !== undefined && instant > until(timezone)) break;
    found.push(instant);
    if (found.length === max) break;
  }
  return found;
}

/** The first occurrence after an instant; undefined if the rule has ended, or has none within 40 years. */
export function nextOccurrence(series: Series, after: Date): Date | undefined {
  const from = new Date(Math.max(after.getTime() + 1, series.start.getTime()));
  const to = new Date(from);
  to.setUTCFullYear(to.getUTCFullYear() + horizonYears);
  return occurrences(series, { from, to, max: 1 })[0];
}

/** When the last occurrence begins, or the UNTIL of the rule; undefined if the series has no end. */
export function lastOccurrence(series: Series): Date | undefined {
  const { options, until } = parsed(series.rrule);
  if (options.count) return counted(series, options.count).at(-1);
  return until?.(series.timezone);
}

/** The occurrences of a rule with COUNT, as far as `checkRule` accepts them. */
function counted(series: Series, count: number): Date[] {
  return occurrences(series, { from: series.start, to: shifted(series.start, countYearsOf(series)), max: count });
}

function countYearsOf({ rrule: rule }: Series): number {
  const { freq, interval = 1 } = parsed(rule).options;
  const name = RRule.FREQUENCIES[freq as number] as keyof typeof countYears;
  return Math.min(countYears[name] * interval, countYearsMax);
}

/** The rule of a series that ends before an occurrence. */
export function endedBefore({ rrule: rule }: Series, occurrence: Date): string {
  const until = new Date(occurrence.getTime() - 1_000).toISOString().replace(/[-:]|\.\d{3}/g, '');
  return `${withoutEnd(rule)};UNTIL=${until}`;
}

/** The rule of a series that continues another one from an occurrence: with COUNT, only the remaining ones count. */
export function continuedFrom(series: Series, occurrence: Date): string {
  const { options } = parsed(series.rrule);
  if (!options.count) return series.rrule;
  const past = occurrences(series, { from: series.start, to: occurrence, max: options.count });
  return `${withoutEnd(series.rrule)};COUNT=${Math.max(1, options.count - past.length)}`;
}

function withoutEnd(rule: string): string {
  return rule
    .split(';')
    .filter((part) => !/^(COUNT|UNTIL)=/.test(part))
    .join(';');
}

type Options = Partial<ReturnType<typeof RRule.parseString>>;

/** The options of a rule, with its end apart: UNTIL is an instant, while RRule compares clock times. */
function parsed(rule: string): { options: Options; until: ((timezone: string) => Date) | undefined } {
  const parts = rule.split(';').filter((part) => !part.startsWith('UNTIL='));
  const end = /(?:^|;)UNTIL=([^;]*)/.exec(rule)?.[1];
  return { options: RRule.parseString(parts.join(';')), until: end === undefined ? undefined : (tz) => endOf(end, tz) };
}

/** The last instant that an UNTIL allows: a date means the whole day in the zone of the series. */
function endOf(until: string, timezone: string): Date {
  const [, year, month, day, time] = /^(\d{4})(\d{2})(\d{2})(?:T(\d{6}Z?))?$/.exec(until) as unknown as string[];
  const clock = time === undefined ? '23:59:59' : `${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4, 6)}`;
  const shown = new Date(`${year}-${month}-${day}T${clock}.999Z`);
  return time?.endsWith('Z') ? shown : fromWallClock(shown, timezone);
}

/**
 * Moves the start of an old rule close to the period, by whole intervals, so that its past occurrences are not computed. A
 * rule with COUNT has to count them.
 */
function forwarded(start: Date, first: Date, { freq, interval = 1, count }: Options): Date {
  if (count !== undefined && count !== null) return start;
  const days = freq === RRule.DAILY ? 1 : freq === RRule.WEEKLY ? 7 : undefined;
  if (days !== undefined) {
    const step = days * interval * dayMs;
    const steps = Math.floor((first.getTime() - start.getTime()) / step) - 1;
    return steps > 0 ? new Date(start.getTime() + steps * step) : start;
  }
  // As many years as the interval has months or years are whole intervals. They keep month and day, which the rule takes
  // from its start; 29 February is sure to exist after 400 years only.
  const step = interval * (isLeapDay(start) ? cycleYears : 1);
  const steps = Math.floor((first.getUTCFullYear() - start.getUTCFullYear()) / step) - 1;
  return steps > 0 ? shifted(start, steps * step) : start;
}

function isLeapDay(at: Date): boolean {
  return at.getUTCMonth() === 1 && at.getUTCDate() === 29;
}

/** The occurrences between two clock times, at most `max`. */
function ruleBetween(rule: InstanceType<typeof RRule>, from: Date, to: Date, max: number): Date[] {
  return rule.between(from, to, true, (_, index) => index < max);
}

/**
 * Years, a multiple of 400, by which the period is moved close to the year 9999, where RRule stops: a rule that never
 * matches again would otherwise be searched through thousands of years.
 */
function shiftOf(last: Date): number {
  return Math.max(0, Math.floor((yearMax - 1 - last.getUTCFullYear()) / cycleYears)) * cycleYears;
}

function shifted(at: Date, years: number): Date {
  const moved = new Date(at);
  moved.setUTCFullYear(at.getUTCFullYear() + years);
  return moved;
}

function faultOf(rule: string): string | undefined {
  if (rule.length > ruleMax) return `Must be at most ${ruleMax} characters`;
  const parts = rule.split(';').map((part) => part.split('='));
  const names = parts.map(([key = '']) => key);
  const unknown = names.find((key) => !partsAllowed.includes(key));
  if (unknown !== undefined || parts.some(({ length }) => length !== 2))
    return `Must be a recurrence rule such as FREQ=WEEKLY;BYDAY=MO, of the parts ${partsAllowed.join(', ')}`;
  if (new Set(names).size < names.length) return 'Must name each part once';
  const values: Record<string, string> = Object.fromEntries(parts);
  if (!frequencies.includes(values['FREQ'] ?? '')) return `FREQ must be one of ${frequencies.join(', ')}`;
  if ('COUNT' in values && 'UNTIL' in values) return 'Must have COUNT or UNTIL, not both';
  for (const key of ['COUNT', 'INTERVAL']) {
    const value = values[key];
    if (value === undefined) continue;
    if (!/^[0-9]{1,4}$/.test(value) || Number(value) < 1 || Number(value) > countMax)
      return `${key} must be a whole number from 1 to ${countMax}`;
  }
  return listFault(values);
}

const numberOf = (max: number) => (value: string) =>
  /^[+-]?[0-9]{1,3}$/.test(value) && Number(value) !== 0 && Math.abs(Number(value)) <= max;

const listRules: Record<string, [isValid: (value: string) => boolean, expected: string]> = {
  BYDAY: [
    (value) => /^([+-]?([1-9]|[1-4][0-9]|5[0-3]))?(MO|TU|WE|TH|FR|SA|SU)$/.test(value),
    'days such as MO, or 1MO in a monthly or yearly rule',
  ],
  BYMONTH: [(value) => /^([1-9]|1[0-2])$/.test(value), 'numbers from 1 to 12'],
  BYMONTHDAY: [numberOf(31), 'numbers from 1 to 31 or -31 to -1'],
  BYSETPOS: [numberOf(366), 'numbers from 1 to 366 or -366 to -1'],
  WKST: [(value) => /^(MO|TU|WE|TH|FR|SA|SU)$/.test(value), 'a day such as MO'],
  UNTIL: [isDate, 'a date such as 20261231 or 20261231T225959Z'],
};

function listFault(values: Record<string, string>): string | undefined {
  for (const [key, [isValid, expected]] of Object.entries(listRules)) {
    const value = values[key];
    if (value !== undefined && !value.split(',').every(isValid)) return `${key} must have ${expected}`;
  }
  const isNumbered = /[0-9]/.test(values['BYDAY'] ?? '');
  if (isNumbered && ['DAILY', 'WEEKLY'].includes(values['FREQ'] as string))
    return 'BYDAY may have numbered days such as 1MO in a monthly or yearly rule only';
  if (values['FREQ'] === 'WEEKLY' && 'BYMONTHDAY' in values) return 'BYMONTHDAY does not apply to a weekly rule';
  if (values['FREQ'] === 'DAILY' && 'BYSETPOS' in values) return 'BYSETPOS does not apply to a daily rule';
  return hasDay(values) ? undefined : 'BYMONTHDAY must be a day of at least one month of BYMONTH';
}

const longestMonths: Record<string, number> = { 2: 29, 4: 30, 6: 30, 9: 30, 11: 30 };

/** Whether one of the months has one of the days: 30 February would be searched for until the year 9999. */
function hasDay({ BYMONTH, BYMONTHDAY }: Record<string, string>): boolean {
  if (BYMONTH === undefined || BYMONTHDAY === undefined) return true;
  const longest = Math.max(...BYMONTH.split(',').map((month) => longestMonths[month] ?? 31));
  return BYMONTHDAY.split(',').some((day) => Math.abs(Number(day)) <= longest);
}

function isDate(value: string): boolean {
  const [, day, time = '000000'] = /^(\d{8})(?:T(\d{6})Z?)?$/.exec(value) ?? [];
  if (day === undefined) return false;
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}.000Z`;
  const at = new Date(iso);
  return !Number.isNaN(at.getTime()) && at.toISOString() === iso && at.getUTCFullYear() > 0;
}
