/**
 * Days and months in the time zone of a tenant or user: when they begin, and to which one an instant belongs. A day in
 * which the clocks change has 23 or 25 hours.
 */
import { Temporal } from 'temporal-polyfill';

/** The day of an instant as YYYY-MM-DD. */
export function dayOf(at: Date, timezone: string): string {
  return zoned(at, timezone).toPlainDate().toString();
}

/** The month of an instant as YYYY-MM. */
export function monthOf(at: Date, timezone: string): string {
  return dayOf(at, timezone).slice(0, 'YYYY-MM'.length);
}

/** The first instant of a day that is given as YYYY-MM-DD. */
export function startOfDay(day: string, timezone: string): Date {
  return asDate(Temporal.PlainDate.from(day).toZonedDateTime(timezone));
}

/** The first instant of a month that is given as YYYY-MM. */
export function startOfMonth(month: string, timezone: string): Date {
  return startOfDay(`${month}-01`, timezone);
}

/** The beginning of the next day. */
export function nextMidnight(at: Date, timezone: string): Date {
  return asDate(zoned(at, timezone).toPlainDate().add({ days: 1 }).toZonedDateTime(timezone));
}

/** The month after a month that is given as YYYY-MM. */
export function monthAfter(month: string): string {
  return Temporal.PlainYearMonth.from(month).add({ months: 1 }).toString();
}

/** The day so many days after a day that is given as YYYY-MM-DD, or before it for a negative number. */
export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString();
}

/** How many days a day is after another one; both as YYYY-MM-DD. */
export function daysBetween(day: string, later: string): number {
  return Temporal.PlainDate.from(day).until(Temporal.PlainDate.from(later)).days;
}

/** The Monday of the week (ISO 8601) of a day; both as YYYY-MM-DD. */
export function weekOf(day: string): string {
  return addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);
}

/** The minutes that have passed on the clock since midnight. */
export function minutesOfDay(at: Date, timezone: string): number {
  const { hour, minute } = zoned(at, timezone);
  return hour * 60 + minute;
}

/**
 * The first instant after `at` at which the clocks show these minutes since midnight. A time that the clocks skip is
 * read as if they had not been set forward.
 */
export function nextTime(at: Date, minutes: number, timezone: string): Date {
  const today = zoned(at, timezone).toPlainDate();
  const time = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  const instants = [0, 1, 2].flatMap((days) => {
    const wanted = today.add({ days }).toPlainDateTime(time);
    // The earlier and the later instant, if the clocks show this time twice.
    return (['compatible', 'later'] as const).map((disambiguation) =>
      asDate(wanted.toZonedDateTime(timezone, { disambiguation })),
    );
  });
  return instants.find((instant) => instant > at) as Date;
}

/** The local time of the zone at an instant, written as if it were UTC, for calculations with days and hours. */
export function wallClock(at: Date, timezone: string): Date {
  return asDate(zoned(at, timezone).toPlainDateTime().toZonedDateTime('UTC'));
}

/**
 * The instant at which the clocks of the zone show what `wallClock` returns: the earlier one if they show it twice. A
 * time that the clocks skip is read as if they had not been set forward.
 */
export function fromWallClock(shown: Date, timezone: string): Date {
  return asDate(zoned(shown, 'UTC').toPlainDateTime().toZonedDateTime(timezone));
}

/** As `fromWallClock`, but a time that the clocks skip is the first instant after the gap. */
export function atOrAfterGap(shown: Date, timezone: string): Date {
  const at = fromWallClock(shown, timezone);
  if (wallClock(at, timezone).getTime() === shown.getTime()) return at;
  // The change is at this time or before it, and the one before an instant is earlier than it.
  const change = zoned(new Date(at.getTime() + 1), timezone).getTimeZoneTransition('previous');
  return change ? asDate(change) : at;
}

function zoned(at: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
}

function asDate({ epochMilliseconds }: Temporal.ZonedDateTime): Date {
  return new Date(epochMilliseconds);
}
