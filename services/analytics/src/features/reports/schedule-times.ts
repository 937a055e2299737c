import type { ReportFrequency } from '@tandem/analytics-contract';
import { checkCron, nextByCron } from '@tandem/recurrence';
import { failField } from '@tandem/service';
import type { z } from 'zod';

/** When a report is sent: by a frequency with its time and day, or by a cron expression. */
export interface Timetable {
  frequency: z.output<typeof ReportFrequency> | null;
  time: string | null;
  weekday: number | null;
  dayOfMonth: number | null;
  cron: string | null;
}

type Given = { [Field in keyof Timetable]?: Timetable[Field] | undefined };

// A report is sent at most once an hour.
const leastMinutes = 60;
const byDefault = { time: '08:00', weekday: 1, dayOfMonth: 1 };
const noneBefore: Timetable = { frequency: null, time: null, weekday: null, dayOfMonth: null, cron: null };

/** The timetable of a request, with what it does not name from the one before. */
export function timetableOf(given: Given, before: Timetable = noneBefore): Timetable {
  if (given.cron && given.frequency) throw failField('cron', 'Must not be sent together with frequency');
  const cron = given.cron ?? (given.frequency ? null : before.cron);
  if (cron) {
    const fault = checkCron(cron, leastMinutes);
    if (fault) throw failField('cron', fault);
    refuseUnused(given, ['time', 'weekday', 'dayOfMonth'], 'cron');
    return { ...noneBefore, cron };
  }
  const frequency = given.frequency ?? before.frequency;
  if (!frequency) throw failField('frequency', 'Is required, unless there is a cron expression');
  refuseUnused(given, unused[frequency], `the frequency ${frequency}`);
  const fieldOf = <Field extends keyof typeof byDefault>(field: Field) =>
    (given[field] ?? before[field] ?? byDefault[field]) as (typeof byDefault)[Field];
  return {
    frequency,
    time: fieldOf('time'),
    weekday: frequency === 'weekly' ? fieldOf('weekday') : null,
    dayOfMonth: frequency === 'monthly' ? fieldOf('dayOfMonth') : null,
    cron: null,
  };
}

const unused = {
  daily: ['weekday', 'dayOfMonth'],
  weekly: ['dayOfMonth'],
  monthly: ['weekday'],
} as const satisfies Record<z.output<typeof ReportFrequency>, (keyof Timetable)[]>;

function refuseUnused(given: Given, fields: readonly (keyof Timetable)[], by: string): void {
  const field = fields.find((one) => (given[one] ?? null) !== null);
  if (field) throw failField(field, `Has no effect with ${by}; leave it out`);
}

/** The clock times of a timetable as cron expressions, of which each is one. */
function patternsOf({ frequency, time, weekday, dayOfMonth, cron }: Timetable): string[] {
  if (cron) return [cron];
  const [hour, minute] = (time ?? byDefault.time).split(':').map(Number);
  if (frequency === 'daily') return [`${minute} ${hour} * * *`];
  if (frequency === 'weekly') return [`${minute} ${hour} * * ${weekday}`];
  const shorter = shorterMonths(dayOfMonth ?? byDefault.dayOfMonth);
  const ofDay = `${minute} ${hour} ${dayOfMonth} * *`;
  return shorter.length ? [ofDay, `${minute} ${hour} L ${shorter.join(',')} *`] : [ofDay];
}

const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The months that may lack a day of the month; their last day takes its place. */
function shorterMonths(day: number): number[] {
  // 29 February is the last day of its month too, so one expression finds both.
  return days.flatMap((length, index) => (day > length || (day === 29 && index === 1) ? [index + 1] : []));
}

/** The first time of a timetable after an instant; undefined if there is none any more. */
export function nextTimeOf(timetable: Timetable, timezone: string, after: Date): Date | undefined {
  const times = patternsOf(timetable).flatMap((pattern) => nextByCron(pattern, timezone, after) ?? []);
  return times.length ? new Date(Math.min(...times.map((time) => time.getTime()))) : undefined;
}
