import type { CallingWindow } from '@tandem/agents-contract';
import { addDays, dayOf, daysBetween, fromWallClock, minutesOfDay, weekOf } from '@tandem/time-zones';
import type { z } from 'zod';

const daysInWeek = 7;

/**
 * When calls may begin again; undefined if they may begin now.
 * @param timezone of the lead or the tenant, as the window says
 */
export function nextCallTime(
  { days, start, end }: Omit<z.output<typeof CallingWindow>, 'timezone'>,
  timezone: string,
  now: Date,
): Date | undefined {
  const today = dayOf(now, timezone);
  const minutes = minutesOfDay(now, timezone);
  if (days.includes(weekdayOf(today)) && minutes >= minutesOf(start) && minutes < minutesOf(end)) return undefined;
  for (let ahead = 0; ahead <= daysInWeek; ahead++) {
    const day = addDays(today, ahead);
    const at = fromWallClock(new Date(`${day}T${start}:00Z`), timezone);
    if (at > now && days.includes(weekdayOf(day))) return at;
  }
  return undefined;
}

/** The day of the week from 1 (Monday) to 7 (Sunday). */
function weekdayOf(day: string): number {
  return daysBetween(weekOf(day), day) + 1;
}

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}
