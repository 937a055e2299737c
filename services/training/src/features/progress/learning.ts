import { unionNumber } from '@tandem/contract';
import { fail } from '@tandem/service';
import { Completion, LearnerType, Release } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { usedAttempts } from '../attempts/attempt.ts';
import { isLive } from '../enrollments/enrollment.ts';
import { lockOf } from './lesson-lock.ts';

/** An enrolment, and one lesson of its course with the progress in it. */
export interface Learning {
  enrollmentId: number;
  courseId: number;
  learnerType: string;
  learnerId: number;
  /** `expired` from the time of the end, also while the job that records this waits. */
  status: string;
  enrolledAt: Date;
  percent: number;
  score: number | null;
  completedAt: Date | null;
  certificateId: number | null;
  lessonId: number;
  lessonType: string;
  lessonTitle: string;
  completion: z.output<typeof Completion>;
  release: z.output<typeof Release>;
  quiz: unknown;
  coursePassScore: number | null;
  contentVersion: number;
  /** The title of the first earlier required lesson that is not completed, in a sequential course. */
  earlierLesson: string | null;
  /** The title of the lesson that opens this one, while it is not completed. */
  openingLesson: string | null;
  progress: {
    status: string;
    percent: number;
    position: number;
    secondsSpent: number;
    score: number | null;
    attempts: number;
    startedAt: Date;
    /** Seconds since the last report in any lesson of the enrolment. */
    sinceReport: number;
    completedAt: Date | null;
  } | null;
}

/** Reads and locks an enrolment with one lesson; undefined if the lesson is deleted. */
export async function findLearning(tx: Tx, id: number, lessonId: number): Promise<Learning | undefined> {
  const row = await lockRow(tx, id, lessonId);
  return row && row.lessonId !== null ? learningOf(row, row.lessonId) : undefined;
}

/** Reads an enrolment with one lesson, without locking it; undefined if the lesson is deleted. */
export async function readLearning(tx: Tx, id: number, lessonId: number): Promise<Learning | undefined> {
  const row = await readRow(tx, id, lessonId);
  return row && row.lessonId !== null ? learningOf(row, row.lessonId) : undefined;
}

/** The row of a locked enrolment with one lesson, whose columns are null if the lesson is deleted. */
export async function lockRow(tx: Tx, id: number, lessonId: number): Promise<Columns | undefined> {
  // A statement of its own, so that the next one sees what the request before this one has written.
  await tx.sql`SELECT FROM enrollment WHERE id = ${id} FOR NO KEY UPDATE`;
  return readRow(tx, id, lessonId);
}

async function readRow(tx: Tx, id: number, lessonId: number): Promise<Columns | undefined> {
  const [row] = await tx.sql<Columns>`
    SELECT enrolled.id AS "enrollmentId", enrolled.course_id AS "courseId", learner_type AS "learnerType",
      learner_id AS "learnerId", CASE WHEN enrolled.status IN ('enrolled', 'in_progress') AND enrolled.expires_at <= clock_timestamp()
        THEN 'expired' ELSE enrolled.status END AS status, enrolled_at AS "enrolledAt", enrolled.percent, enrolled.score,
      enrolled.completed_at AS "completedAt", certificate_id AS "certificateId",
      lesson.id AS "lessonId", lesson.type AS "lessonType", lesson.title AS "lessonTitle", lesson.completion, lesson.release, lesson.quiz,
      course.pass_score AS "coursePassScore", course.content_version AS "contentVersion",
      CASE WHEN course.sequential THEN (
        SELECT earlier.title FROM lesson AS earlier
        LEFT JOIN lesson_progress AS done ON done.enrollment_id = enrolled.id AND done.lesson_id = earlier.id
        WHERE earlier.course_id = course.id AND earlier.deleted_at IS NULL AND earlier.required
          AND earlier."order" < lesson."order" AND done.status IS DISTINCT FROM 'completed'
        ORDER BY earlier."order" LIMIT 1) END AS "earlierLesson",
      CASE WHEN lesson.release ->> 'type' = 'after_lesson' THEN (
        SELECT opening.title FROM lesson AS opening
        LEFT JOIN lesson_progress AS done ON done.enrollment_id = enrolled.id AND done.lesson_id = opening.id
        WHERE opening.id = (lesson.release ->> 'lessonId')::bigint AND opening.course_id = course.id
          AND opening.deleted_at IS NULL AND done.status IS DISTINCT FROM 'completed') END AS "openingLesson",
      progress.status AS "progressStatus", progress.percent AS "lessonPercent", position,
      progress.seconds_spent AS "secondsSpent", progress.score AS "lessonScore", ${usedAttempts} AS attempts,
      progress.started_at AS "startedAt", extract(epoch FROM clock_timestamp() - (
        SELECT max(reported_at) FROM lesson_progress WHERE enrollment_id = enrolled.id))::float AS "sinceReport", progress.completed_at AS "lessonCompletedAt"
    FROM enrollment AS enrolled JOIN course ON course.id = enrolled.course_id
    LEFT JOIN lesson ON lesson.id = ${lessonId} AND lesson.course_id = course.id AND lesson.deleted_at IS NULL
    LEFT JOIN lesson_progress AS progress ON progress.enrollment_id = enrolled.id AND progress.lesson_id = lesson.id
    WHERE enrolled.id = ${id}`;
  return row;
}

/** @throws 409 if the enrolment was withdrawn or has expired, or is completed and the request would change that */
export function rejectEnded({ status }: { status: string }, { butCompleted = false } = {}): void {
  if (isLive({ status }) || (butCompleted && status === 'completed')) return;
  throw fail('enrollment_ended', [{ field: 'id', message: `The enrolment is ${status}` }]);
}

/** @throws 409 if the lesson is not open yet; one that is begun stays open */
export function rejectLocked(learning: Learning): void {
  if (learning.progress) return;
  const lock = lockOf(learning);
  if (lock) throw fail('lesson_locked', [{ field: 'lessonId', message: lock.reason }]);
}

/** Stores where and when the learner was last active. Grades and jobs are no activity of the learner. */
export async function recordActivity(tx: Tx, { enrollmentId, lessonId }: Learning): Promise<void> {
  await tx.sql`UPDATE enrollment SET last_lesson_id = ${lessonId}, last_activity_at = now() WHERE id = ${enrollmentId}`;
}

/** The number of the learner in events and responses. */
export function learnerNumber({ learnerType, learnerId }: Pick<Learning, 'learnerType' | 'learnerId'>): number {
  return unionNumber('learner', LearnerType.parse(learnerType), learnerId);
}

interface Columns extends Omit<Learning, 'lessonId' | 'progress' | 'completion' | 'release'> {
  lessonId: number | null;
  completion: unknown;
  release: unknown;
  progressStatus: string | null;
  lessonPercent: number;
  position: number;
  secondsSpent: number;
  lessonScore: number | null;
  attempts: number;
  startedAt: Date;
  sinceReport: number;
  lessonCompletedAt: Date | null;
}

/** Converts the row of a lesson that exists. */
export function learningOf(row: Columns, lessonId: number): Learning {
  const { progressStatus: status, lessonPercent: percent, position, secondsSpent, lessonScore: score } = row;
  const { attempts, startedAt, sinceReport, lessonCompletedAt: completedAt, ...learning } = row;
  return {
    ...learning,
    lessonId,
    completion: storedCompletion(row.completion),
    release: storedRelease(row.release),
    progress:
      status === null
        ? null
        : { status, percent, position, secondsSpent, score, attempts, startedAt, sinceReport, completedAt },
  };
}

/** The completion rule in a column; fields that it lacks are null. */
export function storedCompletion(column: unknown): z.output<typeof Completion> {
  const none = { minSeconds: null, passScore: null, maxAttempts: null };
  return Completion.parse({ ...none, ...(column as object) });
}

/** The release in a column, where ids and times are as in JSON. */
export function storedRelease(column: unknown): z.output<typeof Release> {
  const stored = column as { type: string; lessonId?: unknown };
  return Release.parse(stored.type === 'after_lesson' ? { ...stored, lessonId: String(stored.lessonId) } : stored);
}
