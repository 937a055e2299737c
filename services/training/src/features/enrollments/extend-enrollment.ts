import { fail, transitionError } from '@tandem/service';
import { enrollmentStates, type enrollments, enrollmentUpdated } from '@tandem/training-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { catchUp } from '../attempts/catch-up.ts';
import { rejectOwnDates } from '../progress/teacher.ts';
import { countDeltas } from '../statistics/deltas.ts';
import { checkDates, isPast, scheduleDates } from './dates.ts';
import { asEnrollment, dataOf, isLive, liveStatuses, writeEnrollment } from './enrollment.ts';
import { rejectLeft } from './learners.ts';
import { lockWithCourse } from './lock-with-course.ts';

export const extendEnrollment = ({ peers }: Pick<Tools, 'peers'>): Handler<typeof enrollments.extendEnrollment> => ({
  async check({ params, caller, tx }) {
    const row = await tx.enrollment.findFirst({ where: { id: params.id } });
    if (row && asEnrollment(row).status === 'expired') await rejectLeft(peers, caller, row);
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch }) {
    const { expiresAt } = body;
    const { course, enrollment: before } = await lockWithCourse(tx, params.id);
    ifMatch(before);
    rejectOwnDates(caller, before, 'expiresAt');
    const isExpired = before.status === 'expired';
    if (!isExpired && !isLive(before)) {
      const { status } = asEnrollment(before);
      throw fail('transition_refused', [transitionError(status, enrollmentStates.next(status))]);
    }
    if (course.deletedAt)
      throw fail('course_deleted', [
        { field: 'id', message: 'The course of the enrolment is deleted; restore it first' },
      ]);
    // A due date that has passed would make the learner overdue from the first moment.
    const dueAt = isExpired && isPast(before.dueAt) ? null : before.dueAt;
    checkDates({ dueAt, expiresAt }, { expiresAt });
    if (isExpired) await rejectOther(tx, before);
    const status = isExpired ? (before.startedAt ? 'in_progress' : 'enrolled') : before.status;
    const enrollment = await writeEnrollment(tx, before.id, { status, dueAt, expiresAt });
    await scheduleDates(schedule, [{ id: before.id, dueAt: isExpired ? dueAt : null, expiresAt }]);
    if (isExpired) await countDeltas({ tx, schedule }, [{ ...before, metric: 'expired', value: -1 }]);
    emit(enrollmentUpdated, {
      data: dataOf(enrollment),
      record: enrollment,
      changes: {
        expiresAt: { from: before.expiresAt, to: expiresAt },
        ...(isExpired && { status: { from: before.status, to: status } }),
      },
    });
    return isExpired || isPast(before.expiresAt)
      ? catchUp({ tx, emit, schedule }, { id: before.id, endedAt: before.expiresAt })
      : enrollment;
  },
});

async function rejectOther(
  tx: Tx,
  { courseId, learnerType, learnerId }: { courseId: number; learnerType: string; learnerId: number },
): Promise<void> {
  const where = { courseId, learnerType, learnerId, status: { in: liveStatuses } };
  if (await tx.enrollment.count({ where }))
    throw fail('already_enrolled', [{ field: 'id', message: 'The learner has another enrolment in this course' }]);
}
