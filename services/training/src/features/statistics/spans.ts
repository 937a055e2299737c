/** Sums of one span that begin from `first` to `last`, both included, as dates in UTC. */
export interface Part {
  span: 'day' | 'month' | 'all';
  first: string;
  last: string;
  /** -1 for days to subtract. */
  sign: 1 | -1;
}

const dayMs = 86_400_000;
// Timestamps of requests are between the years 2 and 9998.
const always = { first: '0001-01-01', last: '9999-12-31' };
/** A part without any day. */
const none = daysOf(always.last, always.first);
/** Half of a month: from here on it is shorter to subtract the other days from the sum of the month. */
const half = 16;

/**
 * The sums that together cover a period: one for all time, or those of months, to which the days of a further month are
 * added, or from which the days outside of the period are subtracted, whichever are fewer. A year has 13 sums and those of
 * at most 32 days, instead of 365. Parts that are not needed have no day.
 * @param period.from the first day, null if the period has no beginning
 * @param period.to the last day, null if it has no end
 */
export function partsOf({ from, to }: { from: string | null; to: string | null }): [Part, Part, Part] {
  if (from === null && to === null) return [{ span: 'all', ...always, sign: 1 }, none, none];
  if (from !== null && to !== null && beginOfMonth(from) === beginOfMonth(to) && addDays(from, half - 1) > to)
    return [daysOf(from, to), none, none];
  const [head, firstMonth] = from === null ? [none, always.first] : beginningAt(from);
  const [tail, lastMonth] = to === null ? [none, always.last] : endingAt(to);
  return [head, { span: 'month', first: firstMonth, last: lastMonth, sign: 1 }, tail];
}

function beginningAt(day: string): [days: Part, firstMonth: string] {
  const [month, next] = [beginOfMonth(day), beginOfMonth(day, 1)];
  if (dayOfMonth(day) > half) return [daysOf(day, addDays(next, -1)), next];
  return [{ ...daysOf(month, addDays(day, -1)), sign: -1 }, month];
}

function endingAt(day: string): [days: Part, lastMonth: string] {
  const month = beginOfMonth(day);
  if (dayOfMonth(day) < half) return [daysOf(month, day), beginOfMonth(day, -1)];
  return [{ ...daysOf(addDays(day, 1), addDays(beginOfMonth(day, 1), -1)), sign: -1 }, month];
}

function daysOf(first: string, last: string): Part {
  return { span: 'day', first, last, sign: 1 };
}

function dayOfMonth(day: string): number {
  return Number(day.slice(8));
}

function beginOfMonth(day: string, monthsLater = 0): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  const months = year * 12 + month - 1 + monthsLater;
  const padded = (value: number, length: number) => String(value).padStart(length, '0');
  return `${padded(Math.floor(months / 12), 4)}-${padded((months % 12) + 1, 2)}-01`;
}

function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * dayMs));
}

/** The day of a time in UTC, as in `2026-06-01`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
