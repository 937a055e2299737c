import type { Emit, Schedule } from '@tandem/events';
import { courseCompleted, enrollmentStarted, LearnerType, lessonCompleted } from '@tandem/training-contract';
import type { Course as CourseRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { issueCertificate } from '../certificates/issue-certificate.ts';
import { asEnrollment, dataOf } from '../enrollments/enrollment.ts';
import { countDeltas, type Delta } from '../statistics/deltas.ts';
import { type Learning, learnerNumber } from './learning.ts';
import { readStanding } from './standing.ts';

const dayMs = 86_400_000;

/** The transaction in which a learner advances. */
export interface Advancing {
  tx: Tx;
  emit: Emit;
  schedule: Schedule;
}

/** Starts a locked enrolment with the first lesson that is opened. */
export async function startEnrollment({ tx, emit, schedule }: Advancing, learning: Learning): Promise<void> {
  const [row] = await tx.enrollment.updateManyAndReturn({
    where: { id: learning.enrollmentId, status: 'enrolled' },
    data: { status: 'in_progress', startedAt: new Date(), version: { increment: 1 } },
  });
  if (!row) return;
  learning.status = 'in_progress';
  const enrollment = asEnrollment(row);
  emit(enrollmentStarted, { data: dataOf(enrollment), record: enrollment });
  await countDeltas({ tx, schedule }, [{ ...row, metric: 'started', value: 1 }]);
}

/**
 * Completes a lesson of a locked enrolment, and with the last one the course.
 * @returns false if it was completed before
 */
export async function finishLesson(inside: Advancing, learning: Learning): Promise<boolean> {
  const { tx, emit } = inside;
  const { enrollmentId, lessonId, courseId, learnerType } = learning;
  const [done] = await tx.sql<{ completedAt: Date; startedAt: Date; secondsSpent: number; isNew: boolean }>`
    INSERT INTO lesson_progress AS progress (enrollment_id, lesson_id, status, percent, completed_at)
    VALUES (${enrollmentId}, ${lessonId}, 'completed', 100, now())
    ON CONFLICT (tenant_id, environment, enrollment_id, lesson_id) DO UPDATE
      SET status = 'completed', percent = 100, completed_at = now() WHERE progress.status <> 'completed'
    RETURNING completed_at AS "completedAt", started_at AS "startedAt", seconds_spent AS "secondsSpent",
      started_at = completed_at AS "isNew"`;
  if (!done) return false;
  emit(lessonCompleted, {
    data: {
      courseId,
      lessonId,
      enrollmentId,
      learnerType: LearnerType.parse(learnerType),
      learnerId: learnerNumber(learning),
    },
    record: { id: enrollmentId },
  });
  const counted = (metric: string, value = 1): Delta => ({
    courseId,
    lessonId,
    learnerType,
    enrolledAt: learning.enrolledAt,
    metric,
    value,
  });
  await countDeltas(inside, [
    ...(done.isNew ? [counted('started')] : []),
    counted('completed'),
    counted('seconds', done.secondsSpent),
  ]);
  await updateStanding(inside, enrollmentId);
  return true;
}

/** Recounts a locked enrolment that has not ended, and completes it if it now meets everything. */
export async function updateStanding(inside: Advancing, enrollmentId: number): Promise<EnrollmentRow> {
  const { tx } = inside;
  const before = await tx.enrollment.findFirst({ where: { id: enrollmentId } });
  const course = before && (await tx.course.findFirst({ where: { id: before.courseId } }));
  if (!before || !course) throw new Error(`There is no enrolment ${enrollmentId}`);
  // A completed enrolment keeps its result, whatever changes later.
  if (before.status !== 'enrolled' && before.status !== 'in_progress') return before;
  // The job that ends it has not run yet.
  if (before.expiresAt && before.expiresAt.getTime() <= Date.now()) return before;
  const { isComplete, ...standing } = await readStanding(tx, { enrollmentId, courseId: course.id }, course);
  const [row] = await tx.enrollment.updateManyAndReturn({
    where: { id: enrollmentId },
    data: {
      ...standing,
      contentVersion: course.contentVersion,
      ...(isComplete && { status: 'completed', completedAt: new Date() }),
      version: { increment: 1 },
    },
  });
  const after = row as EnrollmentRow;
  await countDeltas(inside, [{ ...after, metric: 'percent', value: after.percent - before.percent }]);
  return isComplete ? completeCourse(inside, after, course) : after;
}

async function completeCourse(inside: Advancing, row: EnrollmentRow, course: CourseRow): Promise<EnrollmentRow> {
  const { tx, emit } = inside;
  const completedAt = row.completedAt as Date;
  const certificate = course.certificate === null ? null : await issueCertificate(inside, row, course);
  if (certificate) await tx.sql`UPDATE enrollment SET certificate_id = ${certificate.id} WHERE id = ${row.id}`;
  const certificateId = certificate?.id ?? null;
  const days = Math.floor((completedAt.getTime() - row.enrolledAt.getTime()) / dayMs);
  await countDeltas(inside, [
    { ...row, metric: 'completed', value: 1 },
    { ...row, metric: `days:${days}`, value: 1 },
    ...(row.score === null
      ? []
      : [
          { ...row, metric: 'score', value: row.score },
          { ...row, metric: 'scored', value: 1 },
        ]),
  ]);
  const { courseId, score } = row;
  emit(courseCompleted, {
    data: {
      courseId,
      enrollmentId: row.id,
      learnerType: LearnerType.parse(row.learnerType),
      learnerId: learnerNumber(row),
      score,
      completedAt,
      certificateId,
    },
    record: { id: row.id },
  });
  return { ...row, certificateId };
}
