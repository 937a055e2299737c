import type { EnrollmentRecord } from '../enrollments/enrollment.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';
import { type Advancing, finishLesson, updateStanding } from '../progress/advance.ts';
import { findLearning } from '../progress/learning.ts';
import { completes } from './apply-grade.ts';

/**
 * Gives grades their effect that arrived after the end of a locked enrolment, which has been extended: lessons that they
 * pass are completed, and with the last one the course.
 */
export async function catchUp(inside: Advancing, enrollmentId: number): Promise<EnrollmentRecord> {
  const { tx } = inside;
  const passed = await tx.sql<{ lessonId: number }>`
    SELECT DISTINCT attempt.lesson_id AS "lessonId" FROM attempt
    JOIN lesson_progress AS progress ON progress.enrollment_id = attempt.enrollment_id
      AND progress.lesson_id = attempt.lesson_id
    WHERE attempt.enrollment_id = ${enrollmentId} AND attempt.passed AND progress.status <> 'completed'
    ORDER BY attempt.lesson_id`;
  for (const { lessonId } of passed) {
    const learning = await findLearning(tx, enrollmentId, Number(lessonId));
    if (learning && completes(learning)) await finishLesson(inside, learning);
  }
  // Scores count too, and the content may have changed while the enrolment was ended.
  return asEnrollment(await updateStanding(inside, enrollmentId));
}
