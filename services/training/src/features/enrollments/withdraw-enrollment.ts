import { fail, transitionError } from '@tandem/service';
import { type enrollments, enrollmentWithdrawn } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asEnrollment, liveStatuses } from './enrollment.ts';

export const withdrawEnrollment: Handler<typeof enrollments.withdrawEnrollment> = async ({
  params,
  tx,
  emit,
  ifMatch,
}) => {
  const before = await tx.enrollment.lockFirst({ where: { id: params.id } });
  if (!before) throw fail('not_found');
  ifMatch(before);
  if (!liveStatuses.includes(before.status)) throw fail('transition_refused', [transitionError(before.status, [])]);
  const [row] = await tx.enrollment.updateManyAndReturn({
    where: { id: before.id },
    data: { status: 'withdrawn', version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  await tx.course.updateMany({ where: { id: row.courseId }, data: { enrollmentCount: { decrement: 1 } } });
  const enrollment = asEnrollment(row);
  const { id: enrollmentId, courseId, learnerId } = enrollment;
  emit(enrollmentWithdrawn, { data: { enrollmentId, courseId, learnerId }, record: enrollment });
  return enrollment;
};
