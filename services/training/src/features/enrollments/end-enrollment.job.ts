import { type JobContext, job } from '@tandem/jobs';
import { enrollmentDue, enrollmentOverdue } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { endEnrollmentJob, remindLearnerJob } from './dates.ts';
import { endLive } from './end-live.ts';
import { asEnrollment, dataOf, isLive } from './enrollment.ts';

const columns = { due: 'remindedFor', overdue: 'overdueFor' } as const;

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
 * Announces that an enrolment is due or overdue, once for each due date. The job of a due date that was changed or removed
 * has no effect.
 */
export const remindLearner = job({
  ...remindLearnerJob,
  async run({ payload, finish }: JobContext<z.output<typeof remindLearnerJob.payload>, Tx>) {
    await finish(async ({ tx, emit }) => {
      const row = await tx.enrollment.lockFirst({ where: { id: payload.enrollmentId } });
      if (!row || !isLive(row) || row.dueAt?.getTime() !== payload.dueAt.getTime()) return;
      const announced = columns[payload.kind];
      if (row[announced]?.getTime() === payload.dueAt.getTime()) return;
      await tx.enrollment.updateMany({ where: { id: row.id }, data: { [announced]: row.dueAt } });
      const enrollment = asEnrollment(row);
      emit(payload.kind === 'due' ? enrollmentDue : enrollmentOverdue, {
        data: dataOf(enrollment),
        record: enrollment,
      });
    });
  },
});
