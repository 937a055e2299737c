import { type FieldError, id, timestamp } from '@tandem/contract';
import type { Schedule } from '@tandem/events';
import { fail } from '@tandem/service';
import { z } from 'zod';

export interface Dates {
  dueAt: Date | null;
  expiresAt: Date | null;
}

const reminderMs = 3 * 86_400_000;

/** The job that announces an enrolment before it is due, again when it is overdue, and before its end. */
export const remindLearnerJob = {
  name: 'remind-learner',
  payload: z.discriminatedUnion('kind', [
    z.object({ enrollmentId: id('enrollment'), dueAt: timestamp(), kind: z.enum(['due', 'overdue']) }),
    z.object({ enrollmentId: id('enrollment'), expiresAt: timestamp(), kind: z.literal('expiring') }),
  ]),
};

/** The job that ends the access to a course. */
export const endEnrollmentJob = {
  name: 'end-enrollment',
  payload: z.object({ enrollmentId: id('enrollment'), expiresAt: timestamp() }),
};

/**
 * Checks the dates of an enrolment.
 * @param changed the dates that the request sets; others may have passed
 * @throws 422 for a date that has passed, and for an end before the due date
 */
export function checkDates({ dueAt, expiresAt }: Dates, changed: Partial<Dates>): void {
  const errors: FieldError[] = [];
  for (const field of ['dueAt', 'expiresAt'] as const) {
    const date = changed[field];
    if (date && isPast(date)) errors.push({ field, message: 'Must be in the future' });
  }
  if (!errors.length && dueAt && expiresAt && expiresAt < dueAt)
    errors.push({ field: 'expiresAt', message: 'Must not be before dueAt' });
  if (errors.length) throw fail('validation_failed', errors);
}

/** Whether a date has come. */
export function isPast(date: Date | null): boolean {
  return date !== null && date.getTime() <= Date.now();
}

/** Schedules what the dates of enrolments cause. A job of a date that is changed later has no effect. */
export async function scheduleDates(schedule: Schedule, enrollments: ({ id: number } & Dates)[]): Promise<void> {
  const byTime = new Map<string, ({ id: number } & Dates)[]>();
  for (const one of enrollments) {
    const key = `${one.dueAt?.getTime()} ${one.expiresAt?.getTime()}`;
    byTime.set(key, [...(byTime.get(key) ?? []), one]);
  }
  // Enrolments of one request have the same dates.
  for (const alike of byTime.values()) {
    const { dueAt, expiresAt } = alike[0] as Dates;
    const ids = alike.map((one) => one.id);
    if (dueAt) {
      const payloads = (kind: 'due' | 'overdue') => ids.map((enrollmentId) => ({ enrollmentId, dueAt, kind }));
      const reminderAt = reminderOf(dueAt);
      if (!isPast(reminderAt)) await schedule(remindLearnerJob, payloads('due'), reminderAt);
      await schedule(remindLearnerJob, payloads('overdue'), dueAt);
    }
    if (expiresAt) {
      const payloads = ids.map((enrollmentId) => ({ enrollmentId, expiresAt }));
      const reminderAt = reminderOf(expiresAt);
      if (!isPast(reminderAt))
        await schedule(
          remindLearnerJob,
          payloads.map((one) => ({ ...one, kind: 'expiring' as const })),
          reminderAt,
        );
      await schedule(endEnrollmentJob, payloads, expiresAt);
    }
  }
}

const reminderOf = (date: Date) => new Date(date.getTime() - reminderMs);
