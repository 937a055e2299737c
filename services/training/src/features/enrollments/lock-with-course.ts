import { fail } from '@tandem/service';
import type { Course as CourseRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/**
 * Locks the course of an enrolment, then the enrolment. Every transaction that writes both takes this order: enrolments are
 * created under the lock of their course, so the opposite order would make the two wait for each other.
 */
export async function lockWithCourse(tx: Tx, id: number): Promise<{ course: CourseRow; enrollment: EnrollmentRow }> {
  const found = await tx.enrollment.findFirst({ where: { id }, select: { courseId: true } });
  if (!found) throw fail('not_found');
  // A deleted course too: its ended enrolments stay.
  const course = await tx.course.lockFirst({ where: { id: found.courseId }, sharesKey: true });
  const enrollment = await tx.enrollment.lockFirst({ where: { id } });
  if (!course || !enrollment) throw fail('not_found');
  return { course, enrollment };
}
