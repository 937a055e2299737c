import { fail } from '@tandem/service';
import type { Course, courseStatuses } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Course as CourseRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CourseRecord = z.output<typeof Course>;
type CourseStatus = (typeof courseStatuses)[number];

const transitions: Record<CourseStatus, readonly CourseStatus[]> = {
  draft: ['published', 'archived'],
  published: ['archived'],
  archived: ['published'],
};

/** How much a course has. */
interface CourseCounts {
  modulesCount: number;
  lessonsCount: number;
  enrollmentCount: number;
}

/** Rows as the contract shows them, with counts that are read for all of them at once. */
export async function asCourses(tx: Tx, rows: CourseRow[]): Promise<CourseRecord[]> {
  const counts = await countsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...(row as unknown as CourseRecord),
    allowedTransitions: [...transitions[row.status as CourseStatus]],
    ...(counts.get(row.id) ?? { modulesCount: 0, lessonsCount: 0, enrollmentCount: 0 }),
  }));
}

/** Counts modules, lessons and enrolments of some courses; courses without any are left out. */
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

/** One row as the contract shows it. */
export async function asCourse(tx: Tx, row: CourseRow): Promise<CourseRecord> {
  const [course] = await asCourses(tx, [row]);
  return course as CourseRecord;
}

/** Reads and locks a course, so that no other request changes it before this one is written. */
export async function lockCourse(tx: Tx, id: number): Promise<CourseRow> {
  const row = await tx.course.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Moves a locked course to another status, if the state table allows it. */
export async function moveCourse(
  tx: Tx,
  { id, status }: CourseRow,
  to: CourseStatus,
  more: { publishedAt?: Date } = {},
): Promise<CourseRecord> {
  const allowed = transitions[status as CourseStatus];
  if (!allowed.includes(to))
    throw fail('transition_refused', [
      { field: 'status', message: `From ${status} a course can move to ${allowed.join(', ')}` },
    ]);
  const [row] = await tx.course.updateManyAndReturn({
    where: { id },
    data: { ...more, status: to, version: { increment: 1 } },
  });
  return asCourse(tx, row as CourseRow);
}
