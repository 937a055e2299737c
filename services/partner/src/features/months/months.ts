import { dayOf, monthAfter, monthOf, startOfMonth } from '@tandem/time-zones';

/** A time zone of a tenant, and since when. */
interface ZoneChange {
  timezone: string;
  since: Date;
}

/**
 * The months of a tenant whose time zone has changed. A month begins when the tenant's clock, in the zone that is set at
 * that time, first shows it. A later change of the zone does not move this instant, so a month that is over has the same
 * entries for ever.
 */
export interface Months {
  /** The month of a time as YYYY-MM. */
  of(at: Date): string;
  /** The day of a time as YYYY-MM-DD, by the clock of that time. */
  dayOf(at: Date): string;
  /** Start of a month and of the next one. */
  boundsOf(month: string): { start: Date; end: Date };
  /** All months from the one of a time to the one of another, with their starts. */
  between(first: Date, last: Date): { month: string; start: Date }[];
}

/** @param changes in order of time; before the first one the months are those of UTC */
export function monthsOf(changes: readonly ZoneChange[]): Months {
  const zones = [{ timezone: 'UTC', since: new Date(-8.64e15) }, ...changes];
  const endOfZone = (index: number) => zones[index + 1]?.since;

  const startOf = (month: string): Date => {
    for (const [index, { timezone, since }] of zones.entries()) {
      const start = startOfMonth(month, timezone);
      const end = endOfZone(index);
      // With a clock that is set forward to a zone in the east, the month begins with the change.
      if (!end || start < end) return new Date(Math.max(start.getTime(), since.getTime()));
    }
    throw new Error('The last time zone has no end');
  };

  const zoneAt = (at: Date) => (zones.findLast(({ since }) => since <= at) as ZoneChange).timezone;

  const monthAt = (at: Date): string => {
    const shown = monthOf(at, zoneAt(at));
    // After a change to a zone in the west, the clock may show the month before the one that has begun.
    const next = monthAfter(shown);
    return startOf(next) <= at ? next : shown;
  };

  return {
    of: monthAt,
    dayOf: (at) => dayOf(at, zoneAt(at)),
    boundsOf: (month) => ({ start: startOf(month), end: startOf(monthAfter(month)) }),
    between(first, last) {
      const months: { month: string; start: Date }[] = [];
      const end = monthAt(last);
      for (let month = monthAt(first); month <= end; month = monthAfter(month))
        months.push({ month, start: startOf(month) });
      return months;
    },
  };
}
