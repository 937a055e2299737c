import { wallClock } from '@tandem/time-zones';
import type { BusyTime } from './busy.ts';
import { type Period, type WorkingHours, workingPeriods } from './working-hours.ts';

/** A time at which users are free. */
export interface Slot {
  startAt: Date;
  endAt: Date;
  userIds: number[];
}

interface Wanted {
  period: Period;
  /** The working hours of each user. */
  hours: ReadonlyMap<number, WorkingHours>;
  busy: readonly BusyTime[];
  durationMinutes: number;
  /** The zone whose full and half hours slots begin at. */
  timezone: string;
  /** Whether all users must be free in a slot, or any of them. */
  mode: 'any' | 'all';
}

const minuteMs = 60_000;

/** The times at which users are free, by time: within their working hours, and outside of busy times with their buffers. */
export function freeSlots({ period, hours, busy, durationMinutes, timezone, mode }: Wanted): Slot[] {
  const durationMs = durationMinutes * minuteMs;
  const stepMs = (durationMinutes < 30 ? 15 : 30) * minuteMs;
  const freeAt = new Map<number, number[]>();
  for (const [userId, own] of hours) {
    const taken = busy.filter((one) => one.userId === userId).map((one) => withBuffers(one, own));
    for (const free of subtract(merged(workingPeriods(own, period)), taken)) {
      let at = alignedAfter(free.from, stepMs, timezone);
      for (; at + durationMs <= free.to.getTime(); at += stepMs) freeAt.set(at, [...(freeAt.get(at) ?? []), userId]);
    }
  }
  const needed = mode === 'all' ? hours.size : 1;
  return [...freeAt]
    .filter(([, userIds]) => userIds.length >= needed)
    .sort(([one], [other]) => one - other)
    .map(([at, userIds]) => ({ startAt: new Date(at), endAt: new Date(at + durationMs), userIds }));
}

function withBuffers({ startAt, endAt, type }: BusyTime, hours: WorkingHours): Period {
  if (type === 'time_off') return { from: startAt, to: endAt };
  return {
    from: new Date(startAt.getTime() - hours.bufferBeforeMinutes * minuteMs),
    to: new Date(endAt.getTime() + hours.bufferAfterMinutes * minuteMs),
  };
}

/** The first time from `from` on at which the clocks of the zone show a multiple of the step. */
function alignedAfter(from: Date, stepMs: number, timezone: string): number {
  const offset = wallClock(from, timezone).getTime() - from.getTime();
  return Math.ceil((from.getTime() + offset) / stepMs) * stepMs - offset;
}

/** Joins periods that touch or overlap; they are sorted by time. */
function merged(periods: readonly Period[]): Period[] {
  const joined: Period[] = [];
  for (const period of periods) {
    const last = joined.at(-1);
    if (last && period.from <= last.to) last.to = new Date(Math.max(period.to.getTime(), last.to.getTime()));
    else joined.push({ ...period });
  }
  return joined;
}

/** The parts of periods that lie outside of others. */
function subtract(periods: readonly Period[], taken: readonly Period[]): Period[] {
  let left = [...periods];
  for (const { from, to } of taken) {
    left = left.flatMap((period) => {
      if (to <= period.from || from >= period.to) return [period];
      return [
        { from: period.from, to: from },
        { from: to, to: period.to },
      ].filter((part) => part.from < part.to);
    });
  }
  return left;
}
