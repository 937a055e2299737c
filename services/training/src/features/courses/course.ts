import { fail, transitionError } from '@tandem/service';
import { Course, courseStates, type courseStatuses } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Course as CourseRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CourseRecord = z.output<typeof Course>;
type CourseStatus = (typeof courseStatuses)[number];

const columns = Course.pick({ category: true, status: true, audience: true });

interface CourseCounts {
  modulesCount: number;
  lessonsCount: number;
  enrollmentCount: number;
}

/** Converts rows to the contract's `Course`; the counts are read with one query for all of them. */
export async function asCourses(tx: Tx, rows: CourseRow[]): Promise<CourseRecord[]> {
  const counts = await countsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const checked = columns.parse(row);
    return {
      ...row,
      ...checked,
      allowedTransitions: courseStates.next(checked.status),
      ...(counts.get(row.id) ?? { modulesCount: 0, lessonsCount: 0, enrollmentCount: 0 }),
    };
  });
}

/** Counts modules, lessons and enrolments per course; courses without any are missing from the result. */
async function countsOf(tx: Tx, courseIds: number[]): Promise<Map<number, CourseCounts>> {
  if (!courseIds.length) return new Map();
  const rows = await tx.sql<CourseCounts & { id: number }>`
    WITH lessons AS (
      SELECT course_id AS id, count(DISTINCT module)::int AS modules, count(*)::int AS lessons
      FROM lesson WHERE course_id = ANY(${courseIds}::bigint[]) GROUP BY course_id),
    enrollments AS (
      SELECT course_id AS id, count(*)::int AS enrollments
      FROM enrollment WHERE course_id = ANY(${courseIds}::bigint[]) AND status <> 'withdrawn' GROUP BY course_id)
    SELECT id, coalesce(modules, 0) AS "modulesCount", coalesce(lessons, 0) AS "lessonsCount",
      coalesce(enrollments, 0) AS "enrollmentCount"
    FROM lessons FULL JOIN enrollments USING (id)`;
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Converts a row to the contract's `Course`. */
export async function asCourse(tx: Tx, row: CourseRow): Promise<CourseRecord> {
  const [course] = await asCourses(tx, [row]);
  return course as CourseRecord;
}

/** Reads and locks a course, so that no other request changes it before this one is written. */
export async function lockCourse(tx: Tx, id: number): Promise<CourseRow> {
  const row = await tx.course.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/**
 * Changes the status of a locked course.
 * @throws 409 if the state table does not contain the status change
 */
export async function moveCourse(
  tx: Tx,
  { id, status }: CourseRow,
  to: CourseStatus,
  more: { publishedAt?: Date } = {},
): Promise<CourseRecord> {
  const allowed = courseStates.next(columns.shape.status.parse(status));
  if (!allowed.includes(to)) throw fail('transition_refused', [transitionError(status, allowed)]);
  const [row] = await tx.course.updateManyAndReturn({
    where: { id },
    data: { ...more, status: to, version: { increment: 1 } },
  });
  return asCourse(tx, row as CourseRow);
}
