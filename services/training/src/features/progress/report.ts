import { fail } from '@tandem/service';
import { fragment } from '@tandem/tenant-db';
import { EnrollmentStatus, type LessonProgress, LessonState, reportSecondsMax } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import { countDeltas } from '../statistics/deltas.ts';
import { type Advancing, finishLesson, startEnrollment } from './advance.ts';
import { type Learning, recordActivity, rejectEnded, rejectLocked } from './learning.ts';

type LessonProgressRecord = z.output<typeof LessonProgress>;

export interface Report {
  position?: number;
  secondsSpent: number;
  percent?: number;
}

/**
 * Stores a report of progress in a locked enrolment. Nothing goes back, and time counts at most once, also with lessons that
 * are open side by side.
 * @returns the progress in the lesson, from the statement that stores it: players report every few seconds
 */
export async function reportProgress(
  inside: Advancing,
  learning: Learning,
  report: Report,
): Promise<LessonProgressRecord> {
  rejectEnded(learning, { butCompleted: true });
  rejectLocked(learning);
  const { enrollmentId, lessonId, courseId, learnerType, enrolledAt, progress } = learning;
  // The first report opens the lesson; nothing tells how long it was open before.
  const since = progress?.sinceReport ?? 0;
  const counted = Math.floor(Math.min(report.secondsSpent, since, reportSecondsMax));
  // The rest of a second counts with the next report.
  const isCutShort = progress !== null && report.secondsSpent > since && since < reportSecondsMax;
  const rest = isCutShort ? since - counted : 0;
  const [stored] = await inside.tx.sql<Columns>`
    WITH reported AS (
      INSERT INTO lesson_progress AS progress (enrollment_id, lesson_id, percent, position, seconds_spent)
      VALUES (${enrollmentId}, ${lessonId}, ${report.percent ?? 0}, ${report.position ?? 0}, ${counted})
      ON CONFLICT (tenant_id, environment, enrollment_id, lesson_id) DO UPDATE
        SET percent = greatest(progress.percent, excluded.percent),
          position = coalesce(${report.position ?? null}::float, progress.position),
          seconds_spent = progress.seconds_spent + excluded.seconds_spent,
          reported_at = clock_timestamp() - make_interval(secs => ${rest}::float)
      RETURNING *),
    enrollment AS (
      UPDATE enrollment SET seconds_spent = seconds_spent + ${counted}::int, last_lesson_id = ${lessonId},
        last_activity_at = now() WHERE id = ${enrollmentId} RETURNING *)
    SELECT ${shownColumns} FROM enrollment, reported AS progress`;
  if (!stored) throw new Error(`Enrolment ${enrollmentId} is not locked`);
  if (!progress) {
    await countDeltas(inside, [{ courseId, lessonId, learnerType, enrolledAt, metric: 'started', value: 1 }]);
    if (learning.status === 'enrolled') await startEnrollment(inside, learning);
  }
  return asLessonProgress(learning, { ...stored, courseStatus: learning.status });
}

/**
 * Completes a lesson of a locked enrolment if its rule is met.
 * @param isOverride whether the caller may complete lessons whose rule is manual or quiz
 */
export async function completeByRule(
  inside: Advancing,
  learning: Learning,
  { isOverride }: { isOverride: boolean },
): Promise<void> {
  if (learning.progress?.status === 'completed') return;
  rejectEnded(learning, { butCompleted: true });
  rejectLocked(learning);
  const missing = missingFor(learning, isOverride);
  if (missing) throw fail('validation_failed', [{ field: 'lessonId', message: missing }]);
  if (learning.status === 'enrolled') await startEnrollment(inside, learning);
  if (!isOverride) await recordActivity(inside.tx, learning);
  await finishLesson(inside, learning);
}

/** The requirement of the lesson's completion rule that is not met yet. */
function missingFor({ lessonType, completion, progress }: Learning, isOverride: boolean): string | undefined {
  if (completion.rule === 'manual' && !isOverride)
    return 'Somebody else with the permission training:manage completes the lesson, or grades its assignment';
  if (lessonType === 'scorm' && !isOverride) return 'Launch the lesson: its package reports when it is completed';
  if (completion.rule === 'quiz' && !isOverride) return 'Pass the quiz: begin an attempt, and submit it';
  const seconds = completion.rule === 'min_time' ? (completion.minSeconds ?? 0) : 0;
  const left = seconds - (progress?.secondsSpent ?? 0);
  return left > 0 ? `Spend ${left} more seconds in the lesson, and report them` : undefined;
}

/** The progress in a lesson as responses show it. */
export async function readLessonProgress(tx: Tx, learning: Learning): Promise<LessonProgressRecord> {
  const { enrollmentId, lessonId } = learning;
  const [row] = await tx.sql<Columns>`
    SELECT ${shownColumns}
    FROM enrollment JOIN lesson_progress AS progress ON enrollment_id = enrollment.id AND lesson_id = ${lessonId}
    WHERE enrollment.id = ${enrollmentId}`;
  if (!row) throw fail('not_found');
  return asLessonProgress(learning, row);
}

const shownColumns = fragment`progress.status, progress.percent, position, progress.seconds_spent AS "secondsSpent",
  progress.score, progress.started_at AS "startedAt", progress.completed_at AS "completedAt",
  enrollment.status AS "courseStatus", enrollment.percent AS "coursePercent", enrollment.score AS "courseScore",
  enrollment.completed_at AS "courseCompletedAt", certificate_id AS "certificateId"`;

function asLessonProgress({ enrollmentId, lessonId }: Learning, row: Columns): LessonProgressRecord {
  const { status, courseStatus, coursePercent, courseScore, courseCompletedAt, certificateId, ...lesson } = row;
  return {
    enrollmentId,
    lessonId,
    ...lesson,
    status: LessonState.parse(status),
    enrollment: {
      status: EnrollmentStatus.parse(courseStatus),
      percent: coursePercent,
      score: courseScore,
      completedAt: courseCompletedAt,
      certificateId,
    },
  };
}

interface Columns {
  status: string;
  percent: number;
  position: number;
  secondsSpent: number;
  score: number | null;
  startedAt: Date;
  completedAt: Date | null;
  courseStatus: string;
  coursePercent: number;
  courseScore: number | null;
  courseCompletedAt: Date | null;
  certificateId: number | null;
}
