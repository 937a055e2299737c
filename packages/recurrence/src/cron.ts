import { atOrAfterGap, wallClock } from '@tandem/time-zones';
import { Cron } from 'croner';

const minutesPerHour = 60;
const notACron = 'Must be a cron expression of five fields, such as 30 7 * * 1-5';

/**
 * Checks a cron expression of five fields: minute, hour, day of month, month, day of week.
 * @param leastMinutes the shortest time between two runs, in minutes; 60 allows one minute of the hour
 * @returns the fault, for the error of the field; undefined for a valid expression
 */
export function checkCron(expression: string, leastMinutes: number): string | undefined {
  let cron: Cron;
  // Without nicknames such as @daily, which have no fields.
  const [minutes = '', ...others] = expression.trim().split(/\s+/);
  if (others.length !== 4) return notACron;
  try {
    cron = cronOf(expression);
  } catch {
    return notACron;
  }
  if (shortestGap(minutes) < leastMinutes)
    return leastMinutes === minutesPerHour
      ? 'The first field must be one minute, such as 30: once an hour is the most'
      : `The first field must have minutes at least ${leastMinutes} apart, such as */${leastMinutes}`;
  return cron.nextRun() ? undefined : 'Must name a day that exists';
}

/**
 * The first time of a valid expression after an instant; undefined if there is none any more. An expression is read as clock
 * times of the zone, each of which counts once: the first instant at which the clocks show it, or the one after the gap if they
 * skip it.
 */
export function nextByCron(expression: string, timezone: string, after: Date): Date | undefined {
  const cron = cronOf(expression);
  let shown = wallClock(after, timezone);
  for (;;) {
    const next = cron.nextRun(shown);
    if (!next) return undefined;
    const at = atOrAfterGap(next, timezone);
    // The clocks show some times a second time, and times in a gap may be the same instant.
    if (at > after) return at;
    shown = next;
  }
}

/** The shortest time between two minutes of the first field, also across the hour. */
function shortestGap(minutes: string): number {
  const runs = cronOf(`${minutes} * * * *`)
    .nextRuns(minutesPerHour + 1, new Date(0))
    .map((run) => run.getTime() / 60_000);
  return Math.min(minutesPerHour, ...runs.slice(1).map((run, index) => run - (runs[index] as number)));
}

function cronOf(expression: string): Cron {
  return new Cron(expression, { timezone: 'UTC', mode: '5-part' });
}
