// Recurrence rules (RFC 5545) as patterns of Microsoft Graph, and the other way:
// https://learn.microsoft.com/en-us/graph/api/resources/patternedrecurrence
import { addDays, dayOf, wallClock } from '@tandem/time-zones';
import { dayIn, timeIn } from './calendar-fields.ts';
import { CallError } from './connector.ts';
import type { CalendarFields } from './sync.ts';
import { objectOf, type Values } from './values.ts';

const days = new Map([
  ['SU', 'sunday'],
  ['MO', 'monday'],
  ['TU', 'tuesday'],
  ['WE', 'wednesday'],
  ['TH', 'thursday'],
  ['FR', 'friday'],
  ['SA', 'saturday'],
]);
const dayCodes = new Map([...days].map(([code, day]) => [day, code]));
const positions = new Map([
  ['first', 1],
  ['second', 2],
  ['third', 3],
  ['fourth', 4],
  ['last', -1],
]);
const indexes = new Map([...positions].map(([index, position]) => [String(position), index]));
/** Every month has the days up to this one. */
const commonDays = 28;
const longestMonth = 31;
const leapDay = 29;
const shortMonths: Record<number, number> = { 2: 28, 4: 30, 6: 30, 9: 30, 11: 30 };

const whole = (value: unknown, min: number, max: number): number | null =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? Number(value) : null;

/** The rule of a recurrence; null if it cannot be read. */
export function ruleFrom(recurrence: unknown): string | null {
  const { pattern, range } = objectOf(recurrence);
  const parts = partsOf(objectOf(pattern));
  const end = endOf(objectOf(range));
  return parts && end !== null ? [...parts, ...end].join(';') : null;
}

function partsOf(pattern: Values): string[] | null {
  const interval = whole(pattern['interval'], 1, 1_000);
  const byDay = codesOf(pattern['daysOfWeek']);
  const month = whole(pattern['month'], 1, 12);
  if (interval === null) return null;
  const every = interval > 1 ? [`INTERVAL=${interval}`] : [];
  switch (pattern['type']) {
    case 'daily':
      return ['FREQ=DAILY', ...every];
    case 'weekly':
      return weekly(every, byDay, weekStartOf(pattern['firstDayOfWeek'], interval));
    case 'absoluteMonthly':
      return withParts(['FREQ=MONTHLY', ...every], monthDay(pattern['dayOfMonth'], null));
    case 'relativeMonthly':
      return withParts(['FREQ=MONTHLY', ...every], position(pattern, byDay));
    case 'absoluteYearly':
      return yearly(every, month, monthDay(pattern['dayOfMonth'], month));
    case 'relativeYearly':
      return yearly(every, month, position(pattern, byDay));
    default:
      return null;
  }
}

function weekly(every: string[], byDay: string | null, weekStart: string[]): string[] | null {
  return byDay === null ? null : ['FREQ=WEEKLY', ...every, `BYDAY=${byDay}`, ...weekStart];
}

function yearly(every: string[], month: number | null, more: string[] | null): string[] | null {
  return month === null ? null : withParts(['FREQ=YEARLY', ...every, `BYMONTH=${month}`], more);
}

function withParts(parts: string[], more: string[] | null): string[] | null {
  return more && [...parts, ...more];
}

function codesOf(names: unknown): string | null {
  if (!Array.isArray(names) || !names.length || names.length > 7) return null;
  const codes = [...days].filter(([, day]) => names.includes(day));
  return codes.map(([code]) => code).join(',') || null;
}

/** The first day of the week, which makes a difference to every second week and the like only. */
function weekStartOf(day: unknown, interval: number): string[] {
  const code = dayCodes.get(String(day)) ?? 'SU';
  return interval > 1 && code !== 'MO' ? [`WKST=${code}`] : [];
}

/** The day of a month. Outlook takes the last day of a shorter month, while a rule would leave the month out. */
function monthDay(value: unknown, month: number | null): string[] | null {
  const day = whole(value, 1, longestMonth);
  const common = month === null ? commonDays : (shortMonths[month] ?? longestMonth);
  if (day === null) return null;
  if (day <= common) return [`BYMONTHDAY=${day}`];
  if (day === longestMonth || month !== null) return ['BYMONTHDAY=-1'];
  const candidates = Array.from({ length: day - commonDays + 1 }, (_, index) => commonDays + index);
  return [`BYMONTHDAY=${candidates.join(',')}`, 'BYSETPOS=-1'];
}

function position({ index = 'first' }: Values, byDay: string | null): string[] | null {
  const at = positions.get(String(index));
  if (at === undefined || byDay === null) return null;
  return byDay.includes(',') ? [`BYDAY=${byDay}`, `BYSETPOS=${at}`] : [`BYDAY=${at}${byDay}`];
}

function endOf({ type, endDate, numberOfOccurrences }: Values): string[] | null {
  if (type === 'noEnd') return [];
  if (type === 'numbered') {
    const count = whole(numberOfOccurrences, 1, 10_000);
    return count === null ? null : [`COUNT=${count}`];
  }
  const day = dayIn(endDate);
  return type === 'endDate' && day !== null ? [`UNTIL=${day.replaceAll('-', '')}`] : null;
}

/**
 * The recurrence of a series.
 * @param windowsZone the name of its time zone at Microsoft
 * @throws CallError for a rule that Outlook cannot express, such as the fifth Monday of a month
 */
export function recurrenceFrom(fields: CalendarFields, windowsZone: string): Values {
  const parts = new Map(
    String(fields.recurrence)
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const start = wallClock(new Date(fields.startAt), fields.timezone);
  const pattern = patternOf(parts, start);
  if (!pattern) throw new CallError('request_rejected');
  const startDate = dayOf(new Date(fields.startAt), fields.timezone);
  return { pattern, range: { ...rangeOf(parts, fields), startDate, recurrenceTimeZone: windowsZone } };
}

type Parts = ReadonlyMap<string, string>;

function patternOf(parts: Parts, start: Date): Values | null {
  const byDay = parts.get('BYDAY')?.split(',');
  const months = parts.get('BYMONTH')?.split(',');
  const monthDays = parts.get('BYMONTHDAY');
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const frequency = parts.get('FREQ');
  const firstDayOfWeek = days.get(parts.get('WKST') ?? 'MO');
  const today = [...days.keys()][start.getUTCDay()] as string;
  if (frequency === 'DAILY' || frequency === 'WEEKLY') {
    if (months || monthDays || parts.has('BYSETPOS')) return null;
    if (frequency === 'DAILY' && !byDay) return { type: 'daily', interval };
    // Every day of some days of the week is a weekly pattern; every second day of them is none.
    if (frequency === 'DAILY' && interval > 1) return null;
    const daysOfWeek = (byDay ?? [today]).map((code) => days.get(code));
    return { type: 'weekly', interval, daysOfWeek, firstDayOfWeek };
  }
  if (frequency === 'MONTHLY') {
    if (months) return null;
    return byDay ? relative(parts, byDay, { type: 'relativeMonthly', interval }) : absolute(parts, start, interval);
  }
  if (frequency !== 'YEARLY' || (months && months.length > 1)) return null;
  const month = Number(months?.[0] ?? start.getUTCMonth() + 1);
  if (!byDay) return absolute(parts, start, interval, month);
  // Without a month, a rule counts the days of the year.
  return months ? relative(parts, byDay, { type: 'relativeYearly', interval, month }) : null;
}

/** A day of the month, for a month or each of them. */
function absolute(parts: Parts, start: Date, interval: number, month?: number): Values | null {
  const dayOfMonth = monthDayFrom(parts, start, month);
  if (dayOfMonth === null) return null;
  return month === undefined
    ? { type: 'absoluteMonthly', interval, dayOfMonth }
    : { type: 'absoluteYearly', interval, dayOfMonth, month };
}

/** The day of the pattern; the other way of `monthDay`. */
function monthDayFrom(parts: Parts, start: Date, month: number | undefined): number | null {
  const common = month === undefined ? commonDays : (shortMonths[month] ?? longestMonth);
  const list = (parts.get('BYMONTHDAY') ?? String(start.getUTCDate())).split(',').map(Number);
  const last = list.at(-1) as number;
  if (list.length === 1 && !parts.has('BYSETPOS')) {
    if (last === -1) return month === 2 ? leapDay : Math.max(common, month === undefined ? longestMonth : 0);
    return last >= 1 && last <= common ? last : null;
  }
  const isLast = parts.get('BYSETPOS') === '-1' && list.every((day, index) => day === commonDays + index);
  return isLast && last <= longestMonth ? last : null;
}

/** The first, second, third, fourth or last of some days of the week. */
function relative(parts: Parts, byDay: readonly string[], pattern: Values): Values | null {
  if (parts.has('BYMONTHDAY')) return null;
  const numbered = byDay.length === 1 ? /^\+?(-?\d)(\D\D)$/.exec(byDay[0] as string) : null;
  const index = indexes.get(numbered ? String(numbered[1]) : String(parts.get('BYSETPOS')).replace('+', ''));
  const daysOfWeek = (numbered ? [numbered[2] as string] : byDay).map((code) => days.get(code));
  if (index === undefined || daysOfWeek.includes(undefined) || (numbered && parts.has('BYSETPOS'))) return null;
  return { ...pattern, index, daysOfWeek };
}

function rangeOf(parts: Parts, { startAt, timezone }: CalendarFields): Values {
  const count = parts.get('COUNT');
  if (count !== undefined) return { type: 'numbered', numberOfOccurrences: Number(count) };
  const [, year, month, date, time] = /^(\d{4})(\d\d)(\d\d)(T\d{6}Z?)?$/.exec(parts.get('UNTIL') ?? '') ?? [];
  if (year === undefined) return { type: 'noEnd' };
  const day = `${year}-${month}-${date}`;
  if (time === undefined) return { type: 'endDate', endDate: day };
  const until = timeIn(`${day}${time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}`, timezone) as Date;
  const lastDay = dayOf(until, timezone);
  const clockOf = (at: Date) => wallClock(at, timezone).toISOString().slice('YYYY-MM-DD'.length);
  // The occurrence of the last day may be later than the end.
  const isBefore = clockOf(until) < clockOf(new Date(startAt));
  return { type: 'endDate', endDate: isBefore ? addDays(lastDay, -1) : lastDay };
}
