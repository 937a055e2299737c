import type { EnrollmentRecord } from '../enrollments/enrollment.ts';
import { asEnrollment } from '../enrollments/enrollment.ts';
import { type Advancing, finishLesson, updateStanding } from '../progress/advance.ts';
import { findLearning } from '../progress/learning.ts';
import { announceFailure, completes } from './apply-grade.ts';
import { isOfOtherType } from './attempt.ts';

/**
 * Gives grades their effect that arrived after the end of a locked enrolment, which has been extended: lessons that they
 * pass are completed, and with the last one the course; attempts that did not pass are announced.
 * @param endedAt when the enrolment had ended
 */
export async function catchUp(
  inside: Advancing,
  { id: enrollmentId, endedAt }: { id: number; endedAt: Date | null },
): Promise<EnrollmentRecord> {
  const { tx } = inside;
  if (endedAt) await announceFailures(inside, enrollmentId, endedAt);
  const passed = await tx.sql<{ lessonId: number }>`
    SELECT DISTINCT attempt.lesson_id AS "lessonId" FROM attempt
    JOIN lesson ON lesson.id = attempt.lesson_id AND lesson.type = coalesce(attempt.lesson_type, lesson.type)
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

async function announceFailures(inside: Advancing, enrollmentId: number, endedAt: Date): Promise<void> {
  const failed = await inside.tx.attempt.findMany({
    where: { enrollmentId, passed: false, gradedAt: { gte: endedAt } },
    orderBy: { id: 'asc' },
  });
  for (const attempt of failed) {
    const learning = await findLearning(inside.tx, enrollmentId, attempt.lessonId);
    if (learning && !isOfOtherType(attempt, learning)) announceFailure(inside, learning, attempt);
  }
}
