import type { Course as CourseRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

/** How far an enrolment is with the current content of its course. */
export interface Standing {
  percent: number;
  score: number | null;
  isComplete: boolean;
}

/** Counts the lessons of the course that the learner has completed. Without required lessons all lessons count. */
export async function readStanding(
  tx: Tx,
  { enrollmentId, courseId }: { enrollmentId: number; courseId: number },
  course: Pick<CourseRow, 'passScore'>,
): Promise<Standing> {
  const [found] = await tx.sql<{
    required: number;
    requiredDone: number;
    lessons: number;
    done: number;
    score: number | null;
  }>`
    SELECT count(*) FILTER (WHERE required)::int AS required,
      count(*) FILTER (WHERE required AND progress.status = 'completed')::int AS "requiredDone",
      count(*)::int AS lessons, count(*) FILTER (WHERE progress.status = 'completed')::int AS done,
      avg(progress.score) FILTER (WHERE required AND type IN ('quiz', 'assignment', 'scorm')) AS score
    FROM lesson
    LEFT JOIN lesson_progress AS progress ON progress.enrollment_id = ${enrollmentId} AND progress.lesson_id = lesson.id
    WHERE lesson.course_id = ${courseId} AND lesson.deleted_at IS NULL`;
  const { required, requiredDone, lessons, done, score } = found as NonNullable<typeof found>;
  const [requiredLessons, completedLessons] = required ? [required, requiredDone] : [lessons, done];
  const isDone = requiredLessons > 0 && completedLessons === requiredLessons;
  return {
    percent: requiredLessons ? round((completedLessons / requiredLessons) * 100) : 0,
    score: score === null ? null : round(score),
    isComplete: isDone && (course.passScore === null || score === null || score >= course.passScore),
  };
}

/** Two decimals, as responses show percentages and scores. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
