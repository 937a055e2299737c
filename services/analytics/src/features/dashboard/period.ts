import { isDay } from '@tandem/analytics-contract';
import { failField } from '@tandem/service';
import { addDays, dayOf, daysBetween, monthAfter, startOfDay, weekOf } from '@tandem/time-zones';

/** Whole days in a time zone. */
export interface Period {
  timezone: string;
  /** The first and the last day, as YYYY-MM-DD. */
  first: string;
  last: string;
  /** The beginning of the first day, and that of the day after the last one. */
  from: Date;
  to: Date;
}

const daysByDefault = 30;
// Ten years, so that the sums of a request stay few enough to be read at once.
const daysMax = 3_660;

/** The days of a request: by default the last 30 or so many `days`, with today. */
export function periodOf(
  { dateFrom, dateTo }: { dateFrom?: string | undefined; dateTo?: string | undefined },
  timezone: string,
  { now = new Date(), days = daysByDefault }: { now?: Date; days?: number } = {},
): Period {
  const last = dateTo === undefined ? dayOf(now, timezone) : dayIn(dateTo, timezone);
  const first = dateFrom === undefined ? addDays(last, 1 - days) : dayIn(dateFrom, timezone);
  if (first > last) throw failField('dateFrom', 'Must not be after dateTo');
  const period = daysFrom(first, last, timezone);
  if (lengthOf(period) > daysMax) throw failField('dateFrom', `Must be at most ${daysMax} days before dateTo`);
  return period;
}

/** The period of the same number of days that ends before this one. */
export function before(period: Period): Period {
  const last = addDays(period.first, -1);
  return daysFrom(addDays(last, 1 - lengthOf(period)), last, period.timezone);
}

/** How many days a period has. */
export function lengthOf({ first, last }: Pick<Period, 'first' | 'last'>): number {
  return daysBetween(first, last) + 1;
}

export type Interval = 'day' | 'week' | 'month';

/** The first day of the week or month that a day is in; the day itself for `day`. */
export function startOfInterval(day: string, interval: Interval): string {
  if (interval === 'month') return `${monthIn(day)}-01`;
  return interval === 'week' ? weekOf(day) : day;
}

/** The first day of the interval after the one that begins with a day. */
export function nextInterval(start: string, interval: Interval): string {
  if (interval === 'month') return `${monthAfter(monthIn(start))}-01`;
  return addDays(start, interval === 'week' ? 7 : 1);
}

/** The first days of the intervals of a period, in order. The first interval may begin before the period. */
export function intervalsOf({ first, last }: Pick<Period, 'first' | 'last'>, interval: Interval): string[] {
  const starts: string[] = [];
  for (let start = startOfInterval(first, interval); start <= last; start = nextInterval(start, interval))
    starts.push(start);
  return starts;
}

function monthIn(day: string): string {
  return day.slice(0, 'YYYY-MM'.length);
}

function daysFrom(first: string, last: string, timezone: string): Period {
  return { timezone, first, last, from: startOfDay(first, timezone), to: startOfDay(addDays(last, 1), timezone) };
}

function dayIn(text: string, timezone: string): string {
  return isDay(text) ? text : dayOf(new Date(text), timezone);
}
