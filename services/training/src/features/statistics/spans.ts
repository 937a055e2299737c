/** Sums of one span that begin from `first` to `last`, both included, as dates in UTC. */
export interface Part {
  span: 'day' | 'month' | 'all';
  first: string;
  last: string;
}

const dayMs = 86_400_000;
// Timestamps of requests are between the years 2 and 9998.
const always = { first: '0001-01-01', last: '9999-12-31' };
/** A part without any day. */
const none: Part = { span: 'day', first: always.last, last: always.first };

/**
 * The sums that together cover a period: one for all time, or the months that lie inside of it and the days before and
 * after these. A year has 12 sums and those of at most 60 days, instead of 365. Parts that are not needed have no day.
 * @param period.from the first day, null if the period has no beginning
 * @param period.to the last day, null if it has no end
 */
export function partsOf({ from, to }: { from: string | null; to: string | null }): [Part, Part, Part] {
  if (from === null && to === null) return [{ span: 'all', ...always }, none, none];
  const firstMonth = from === null ? always.first : beginOfMonth(from, from.endsWith('-01') ? 0 : 1);
  const afterMonths = to === null ? always.last : beginOfMonth(addDays(to, 1), 0);
  if (firstMonth >= afterMonths)
    return [{ span: 'day', first: from ?? always.first, last: to ?? always.last }, none, none];
  return [
    from === null ? none : { span: 'day', first: from, last: addDays(firstMonth, -1) },
    { span: 'month', first: firstMonth, last: to === null ? always.last : addDays(afterMonths, -1) },
    to === null ? none : { span: 'day', first: afterMonths, last: to },
  ];
}

function beginOfMonth(day: string, monthsLater: number): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return dayOf(new Date(Date.UTC(year, month - 1 + monthsLater, 1)));
}

function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * dayMs));
}

/** The day of a time in UTC, as in `2026-06-01`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
