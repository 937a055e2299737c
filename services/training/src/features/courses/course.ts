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

interface Counts {
  id: number;
  modules: number;
  lessons: number;
  enrollments: number;
}

/** Rows as the contract shows them, with what is counted for all of them at once. */
export async function asCourses(tx: Tx, rows: CourseRow[]): Promise<CourseRecord[]> {
  const ids = rows.map(({ id }) => id);
  const counted = ids.length
    ? await tx.sql<Counts>`SELECT wanted.id,
        (SELECT count(DISTINCT module) FROM lesson WHERE course_id = wanted.id)::int AS modules,
        (SELECT count(*) FROM lesson WHERE course_id = wanted.id)::int AS lessons,
        (SELECT count(*) FROM enrollment WHERE course_id = wanted.id AND status <> 'withdrawn')::int AS enrollments
      FROM unnest(${ids}::bigint[]) AS wanted (id)`
    : [];
  const byId = new Map(counted.map((counts) => [Number(counts.id), counts]));
  return rows.map((row) => ({
    ...(row as unknown as CourseRecord),
    allowedTransitions: [...transitions[row.status as CourseStatus]],
    modulesCount: byId.get(row.id)?.modules ?? 0,
    lessonsCount: byId.get(row.id)?.lessons ?? 0,
    enrollmentCount: byId.get(row.id)?.enrollments ?? 0,
  }));
}

/** One row as the contract shows it. */
export async function asCourse(tx: Tx, row: CourseRow): Promise<CourseRecord> {
  const [course] = await asCourses(tx, [row]);
  return course as CourseRecord;
}

/** The course under lock, so that what is decided about it still holds when it is written. */
export async function lockCourse(tx: Tx, id: number): Promise<CourseRow> {
  const row = await tx.course.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Moves a locked course to another status, if the state table has that move. */
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
