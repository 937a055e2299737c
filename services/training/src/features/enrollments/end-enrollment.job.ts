import { type JobContext, job } from '@tandem/jobs';
import { enrollmentDue, enrollmentExpiring, enrollmentOverdue } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { endEnrollmentJob, remindLearnerJob } from './dates.ts';
import { endLive } from './end-live.ts';
import { asEnrollment, dataOf, isLive } from './enrollment.ts';

const reminders = {
  due: { date: 'dueAt', announced: 'remindedFor', event: enrollmentDue },
  overdue: { date: 'dueAt', announced: 'overdueFor', event: enrollmentOverdue },
  expiring: { date: 'expiresAt', announced: 'expiringFor', event: enrollmentExpiring },
} as const;

/** Ends an enrolment at the time of its end. The job of an end that was changed or removed has no effect. */
export const endEnrollment = job({
  ...endEnrollmentJob,
  async run({ payload, finish }: JobContext<z.output<typeof endEnrollmentJob.payload>, Tx>) {
    await finish(async (inside) => {
      const row = await inside.tx.enrollment.lockFirst({ where: { id: payload.enrollmentId } });
      if (!row || !isLive(row) || row.expiresAt?.getTime() !== payload.expiresAt.getTime()) return;
      await endLive(inside, row, 'expired');
    });
  },
});

/**
 * Announces that an enrolment is due, overdue or about to end, once for each date. The job of a date that was changed or
 * removed has no effect.
 */
export const remindLearner = job({
  ...remindLearnerJob,
  async run({ payload, finish }: JobContext<z.output<typeof remindLearnerJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const row = await tx.enrollment.lockFirst({ where: { id: payload.enrollmentId } });
      const at = payload.kind === 'expiring' ? payload.expiresAt : payload.dueAt;
      const { date, announced, event } = reminders[payload.kind];
      if (!row || !isLive(row) || row[date]?.getTime() !== at.getTime()) return;
      if (row[announced]?.getTime() === at.getTime()) return;
      await tx.enrollment.updateMany({ where: { id: row.id }, data: { [announced]: at } });
      const enrollment = asEnrollment(row);
      emit(event, { data: dataOf(enrollment), record: enrollment });
    });
  },
});
