import { type EnrollmentProgress, isScored, LessonType } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { usedAttempts } from '../attempts/attempt.ts';
import { asEnrollment, isLive } from '../enrollments/enrollment.ts';
import { canImprove } from '../scorm/can-improve.ts';
import { blockedReason, isBelow } from './blocked.ts';
import { storedCompletion, storedRelease } from './learning.ts';
import { lockOf } from './lesson-lock.ts';

type Progress = z.output<typeof EnrollmentProgress>;

/** The progress of an enrolment in all lessons of its course. */
export async function readProgress(tx: Tx, row: EnrollmentRow): Promise<Progress> {
  const [course] = await tx.sql<{ sequential: boolean; passScore: number | null }>`
    SELECT sequential, pass_score AS "passScore" FROM course WHERE id = ${row.courseId}`;
  const found = await tx.sql<Columns>`
    SELECT lesson.id AS "lessonId", module_id AS "moduleId", title, type, required, "order", completion, release,
      progress.status, coalesce(progress.percent, 0)::float AS percent, coalesce(position, 0)::float AS position,
      coalesce(seconds_spent, 0) AS "secondsSpent", score, ${usedAttempts} AS attempts,
      completed_at AS "completedAt", EXISTS (SELECT FROM attempt WHERE attempt.enrollment_id = ${row.id}
        AND attempt.lesson_id = lesson.id AND attempt.status IN ('in_progress', 'submitted')) AS "isAttemptOpen"
    FROM lesson LEFT JOIN lesson_progress AS progress
      ON progress.enrollment_id = ${row.id} AND progress.lesson_id = lesson.id
    WHERE course_id = ${row.courseId} AND deleted_at IS NULL ORDER BY "order", lesson.id`;
  const rows = new Map(found.map((one) => [one.lessonId, one]));
  let earlierLesson: string | null = null;
  const lessons = found.map((one): Progress['lessons'][number] => {
    const { completion: rule, release: opening, status, isAttemptOpen: _, ...lesson } = one;
    const release = storedRelease(opening);
    const opener = release.type === 'after_lesson' ? rows.get(release.lessonId) : undefined;
    const lock = lockOf({
      enrolledAt: row.enrolledAt,
      release,
      earlierLesson,
      openingLesson: opener && opener.status !== 'completed' ? opener.title : null,
    });
    if (course?.sequential && one.required && status !== 'completed') earlierLesson ??= one.title;
    // A lesson that was begun stays open.
    const isLocked = status === null && lock !== undefined;
    const { maxAttempts } = storedCompletion(rule);
    // A completed package is only looked at again, unless a better score is needed.
    const standing = { progress: one, coursePassScore: course?.passScore ?? null, completion: { maxAttempts } };
    const isReview = one.type === 'scorm' && status === 'completed' && !canImprove(standing);
    return {
      ...lesson,
      type: LessonType.parse(one.type),
      status: isLocked ? 'locked' : status === 'completed' || status === 'in_progress' ? status : 'open',
      lockedReason: isLocked ? lock.reason : null,
      opensAt: isLocked ? lock.opensAt : null,
      canRetry:
        isLive(row) && isScored(one) && !isLocked && (maxAttempts === null || one.attempts < maxAttempts) && !isReview,
    };
  });
  const isNext = ({ status }: { status: string }) => status === 'open' || status === 'in_progress';
  const { status, percent, score, secondsSpent } = asEnrollment(row);
  const passScore = course?.passScore ?? null;
  const next =
    lessons.find((one) => one.required && isNext(one)) ??
    lessons.find(isNext) ??
    (isBelow(score, passScore) ? lessons.find((one) => one.required && one.canRetry) : undefined);
  return {
    enrollmentId: row.id,
    courseId: row.courseId,
    status,
    percent,
    score,
    passScore,
    secondsSpent,
    nextLessonId: isLive(row) ? (next?.lessonId ?? null) : null,
    blockedReason: isLive(row) ? blockedReason({ score, passScore }, lessons, rows) : null,
    lessons,
  };
}

interface Columns {
  lessonId: number;
  moduleId: number | null;
  title: string;
  type: string;
  required: boolean;
  order: number;
  completion: unknown;
  release: unknown;
  status: string | null;
  percent: number;
  position: number;
  secondsSpent: number;
  score: number | null;
  attempts: number;
  completedAt: Date | null;
  isAttemptOpen: boolean;
}
