import { weekdays } from '@tandem/crm-contract';
import { dayOf, fromWallClock, minutesOfDay } from '@tandem/time-zones';
import { z } from 'zod';
import type { Tx } from '../../handler.ts';

/** A period of time; `to` is not part of it. */
export interface Period {
  from: Date;
  to: Date;
}

type Weekday = (typeof weekdays)[number];

/** Working hours of one weekday, in minutes since midnight. */
interface Hours {
  day: Weekday;
  from: number;
  to: number;
}

/** When a user works. */
export interface WorkingHours {
  timezone: string;
  weekly: readonly Hours[];
  bufferBeforeMinutes: number;
  bufferAfterMinutes: number;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Weekly hours as they are stored. */
export const storedWeekly = z.array(z.object({ day: z.enum(weekdays), start: z.string(), end: z.string() }));

/** Working hours of users without their own: Monday to Friday, from nine to five. */
export const defaultWeekly = weekdays.slice(0, 5).map((day) => ({ day, start: '09:00', end: '17:00' }));

/** The minutes since midnight of a clock time such as 09:30 or 24:00. */
export function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}

/**
 * The working hours of each user.
 * @param timezone the zone of users who have not set their working hours: that of the tenant
 */
export async function workingHoursOf(
  tx: Tx,
  userIds: readonly number[],
  timezone: string,
): Promise<Map<number, WorkingHours>> {
  const rows = await tx.userAvailability.findMany({ where: { userId: { in: [...userIds] } } });
  const stored = new Map(rows.map((row) => [row.userId, row]));
  const entries = userIds.map((userId): [number, WorkingHours] => {
    const row = stored.get(userId);
    const weekly = row ? storedWeekly.parse(row.weekly) : defaultWeekly;
    return [
      userId,
      {
        timezone: row?.timezone ?? timezone,
        weekly: weekly.map(({ day, start, end }) => ({ day, from: minutesOf(start), to: minutesOf(end) })),
        bufferBeforeMinutes: row?.bufferBeforeMinutes ?? 0,
        bufferAfterMinutes: row?.bufferAfterMinutes ?? 0,
      },
    ];
  });
  return new Map(entries);
}

/**
 * Whether the user works at this time, by working hours and time off.
 * @param timezone the zone of users who have not set their working hours: that of the tenant
 */
export async function worksAt(tx: Tx, userId: number, at: Date, timezone = 'UTC'): Promise<boolean> {
  if ((await isAway(tx, [userId], at)).has(userId)) return false;
  const hours = (await workingHoursOf(tx, [userId], timezone)).get(userId) as WorkingHours;
  const day = weekdayOf(dayOf(at, hours.timezone));
  const minutes = minutesOfDay(at, hours.timezone);
  return hours.weekly.some((one) => one.day === day && one.from <= minutes && minutes < one.to);
}

/** Those of the users who have time off at this time. */
export async function isAway(tx: Tx, userIds: readonly number[], at: Date): Promise<Set<number>> {
  if (!userIds.length) return new Set();
  // Whatever time off the caller may read: leads and bookings must not go to a user who is away.
  const rows = await tx.sql<{ userId: number }>`SELECT user_id AS "userId" FROM time_off
    WHERE user_id = ANY(${[...userIds]}::bigint[]) AND from_at <= ${at}::timestamptz AND to_at > ${at}::timestamptz`;
  return new Set(rows.map(({ userId }) => userId));
}

/** The working periods of a user within a period, in order. Clock changes make them longer or shorter. */
export function workingPeriods({ timezone, weekly }: WorkingHours, { from, to }: Period): Period[] {
  const periods: Period[] = [];
  // Days of the zone begin up to a day before and after those of UTC.
  for (let at = from.getTime() - dayMs; at < to.getTime() + dayMs; at += dayMs) {
    const day = dayOf(new Date(at), 'UTC');
    const midnight = new Date(`${day}T00:00:00Z`).getTime();
    for (const hours of weekly) {
      if (hours.day !== weekdayOf(day)) continue;
      const starts = fromWallClock(new Date(midnight + hours.from * minuteMs), timezone);
      const ends = fromWallClock(new Date(midnight + hours.to * minuteMs), timezone);
      const period = { from: laterOf(starts, from), to: earlierOf(ends, to) };
      if (period.from < period.to) periods.push(period);
    }
  }
  return periods.sort((one, other) => one.from.getTime() - other.from.getTime());
}

/** The weekday of a day that is given as YYYY-MM-DD. */
function weekdayOf(day: string): Weekday {
  // weekdays begins with Monday, getUTCDay with Sunday.
  return weekdays[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7] as Weekday;
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}
