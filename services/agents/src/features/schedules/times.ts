import { type intervalUnits, scheduleLimits } from '@tandem/agents-contract';
import { checkCron, nextByCron } from '@tandem/recurrence';
import { failField } from '@tandem/service';
import { atOrAfterGap, wallClock } from '@tandem/time-zones';

type Unit = (typeof intervalUnits)[number];
export interface Interval {
  value: number;
  unit: Unit;
}

/** The times of a schedule: those of a cron expression, or of an interval that begins at `startsAt`. */
export interface Timetable {
  cron: string | null;
  every: Interval | null;
  timezone: string;
  startsAt: Date;
  endsAt: Date | null;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const daysInWeek = 7;

/**
 * Fails for a timetable without exactly one rule, with one that is too frequent, or with an end before its start.
 * @throws ApiError 422 that names the field
 */
export function checkTimetable({ cron, every, startsAt, endsAt }: Timetable): void {
  if (cron && every) throw failField('every', 'Must not be sent together with cron');
  if (!cron && !every) throw failField('cron', 'Is required, unless there is an interval in every');
  const fault = cron && checkCron(cron, scheduleLimits.leastMinutes);
  if (fault) throw failField('cron', fault);
  if (every?.unit === 'minutes' && every.value < scheduleLimits.leastMinutes)
    throw failField('every.value', `Must be at least ${scheduleLimits.leastMinutes} minutes`);
  if (endsAt && endsAt <= startsAt) throw failField('endsAt', 'Must be after startsAt');
}

/** The first time after an instant; undefined if the schedule has ended. */
export function nextTime(timetable: Timetable, after: Date): Date | undefined {
  const { endsAt } = timetable;
  const next = nextByRule(timetable, after);
  return next && endsAt && next >= endsAt ? undefined : next;
}

/** The next times after an instant, as many as are shown. */
export function nextTimes(timetable: Timetable, after: Date): Date[] {
  const times: Date[] = [];
  for (let at = nextTime(timetable, after); at; at = nextTime(timetable, at)) {
    times.push(at);
    if (times.length === scheduleLimits.shownTimes) break;
  }
  return times;
}

function nextByRule({ cron, every, timezone, startsAt }: Timetable, after: Date): Date | undefined {
  // The start itself can be a time.
  const from = new Date(Math.max(after.getTime(), startsAt.getTime() - 1));
  if (cron) return nextByCron(cron, timezone, from);
  const { value, unit } = every as Interval;
  if (unit === 'minutes' || unit === 'hours') {
    const stepMs = value * (unit === 'hours' ? hourMs : minuteMs);
    const steps = Math.floor((from.getTime() - startsAt.getTime()) / stepMs) + 1;
    return new Date(startsAt.getTime() + steps * stepMs);
  }
  return nextDay(startsAt, { timezone, days: unit === 'days' ? value : value * daysInWeek }, from);
}

/** The first time after an instant that is a multiple of so many days after the start, at its clock time. */
function nextDay(start: Date, { timezone, days }: { timezone: string; days: number }, after: Date): Date {
  const stepMs = days * dayMs;
  const shown = wallClock(start, timezone).getTime();
  const passed = Math.floor((wallClock(after, timezone).getTime() - shown) / stepMs);
  // One earlier, because a clock time that the clocks skip is shown later.
  for (let steps = Math.max(0, passed - 1); ; steps++) {
    const at = atOrAfterGap(new Date(shown + steps * stepMs), timezone);
    if (at > after) return at;
  }
}
