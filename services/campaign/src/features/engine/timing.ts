import type { durationUnits, WorkflowSettings } from '@tandem/campaign-contract';
import { fromWallClock, nextTime, wallClock } from '@tandem/time-zones';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMinutes = 24 * 60;
// A window on one day a week opens within eight days.
const daysMax = 9;

type Window = Pick<WorkflowSettings, 'quietHours' | 'workingDays'>;
type SendWindow = { from: string; to: string; days?: number[] | undefined };

export interface Lengths {
  duration?: number | undefined;
  durationUnit?: (typeof durationUnits)[number] | undefined;
}

/** The end of a wait. Days and weeks are those of the calendar of the zone: at the same time of the day after a clock change. */
export function after(at: Date, { duration = 0, durationUnit = 'days' }: Lengths, timezone: string): Date {
  if (durationUnit === 'minutes') return new Date(at.getTime() + duration * minuteMs);
  if (durationUnit === 'hours') return new Date(at.getTime() + duration * hourMs);
  const minutes = duration * (durationUnit === 'weeks' ? 7 : 1) * dayMinutes;
  const whole = Math.floor(minutes / dayMinutes) * dayMinutes;
  // Without a whole day, an instant in an hour that the clocks show twice must not become the earlier one.
  if (!whole) return new Date(at.getTime() + minutes * minuteMs);
  const sameTime = fromWallClock(new Date(wallClock(at, timezone).getTime() + whole * minuteMs), timezone);
  return new Date(sameTime.getTime() + (minutes - whole) * minuteMs);
}

/** The shortest wait that holds a cycle: with shorter ones only, an execution would run through it without a rest. */
export const holdMinMs = minuteMs;

/** Minutes since midnight of a time such as 09:30. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The first instant from `at` on at which all windows are open, in the time zone. */
export function openFrom(at: Date, timezone: string, windows: readonly (Window | SendWindow)[]): Date {
  const isOpen = (shown: Date) => windows.every((window) => isOpenAt(window, shown));
  const now = wallClock(at, timezone);
  if (isOpen(now)) return at;
  // A window opens at the beginning of a day or at the end of a closed part of it.
  const opening = [...new Set([0, ...windows.flatMap(openings)])].toSorted((a, b) => a - b);
  const midnight = Math.floor(now.getTime() / (dayMinutes * minuteMs)) * dayMinutes * minuteMs;
  for (let day = 0; day < daysMax; day++)
    for (const minutes of opening) {
      const shown = new Date(midnight + (day * dayMinutes + minutes) * minuteMs);
      if (shown > now && isOpen(shown)) {
        const opens = fromWallClock(shown, timezone);
        // The clocks show the time twice, and the first one is over.
        return opens > at ? opens : nextTime(at, minutes, timezone);
      }
    }
  // Windows that exclude each other never open; the message is not held back for ever.
  return at;
}

function isOpenAt(window: Window | SendWindow, shown: Date): boolean {
  const day = shown.getUTCDay() || 7;
  const minutes = shown.getUTCHours() * 60 + shown.getUTCMinutes();
  if ('from' in window) {
    const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
    const isInside = isBetween(minutes, from, to);
    // The part of a window after midnight belongs to the day on which it began.
    const ofDay = from > to && minutes < to ? (day === 1 ? 7 : day - 1) : day;
    return isInside && (!window.days || window.days.includes(ofDay));
  }
  if (window.workingDays && !window.workingDays.includes(day)) return false;
  const { quietHours: quiet } = window;
  return !quiet || quiet.from === quiet.to || !isBetween(minutes, minutesOf(quiet.from), minutesOf(quiet.to));
}

function openings(window: Window | SendWindow): number[] {
  if ('from' in window) return [minutesOf(window.from)];
  return window.quietHours ? [minutesOf(window.quietHours.to)] : [];
}

function isBetween(minutes: number, from: number, to: number): boolean {
  if (from === to) return true;
  return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}
