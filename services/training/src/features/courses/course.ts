import { fail } from '@tandem/service';
import { Course, courseStates, restorableCourseDays } from '@tandem/training-contract';
import type { z } from 'zod';
import { type Course as CourseRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type CourseRecord = z.output<typeof Course>;

const columns = Course.pick({ status: true, audience: true, certificate: true });
const dayMs = 86_400_000;

/** Converts rows to the contract's `Course`; the prerequisites are read with one query for all of them. */
export async function asCourses(tx: Tx, rows: CourseRow[]): Promise<CourseRecord[]> {
  const required = await prerequisitesOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const checked = columns.parse(row);
    return {
      ...row,
      ...checked,
      allowedTransitions: courseStates.next(checked.status),
      prerequisiteCourseIds: required.get(row.id) ?? [],
    };
  });
}

/** The prerequisites of each course. Deleted courses are left out: nobody can complete them any more. */
async function prerequisitesOf(tx: Tx, courseIds: number[]): Promise<Map<number, number[]>> {
  if (!courseIds.length) return new Map();
  const rows = await tx.sql<{ courseId: number; ids: number[] }>`
    SELECT course_id AS "courseId", array_agg(required_course_id ORDER BY required_course_id) AS ids
    FROM course_prerequisite
    WHERE course_id = ANY(${courseIds}::bigint[]) AND EXISTS (
      SELECT FROM course WHERE course.tenant_id = course_prerequisite.tenant_id
        AND course.environment = course_prerequisite.environment AND course.id = required_course_id
        AND deleted_at IS NULL)
    GROUP BY course_id`;
  return new Map(rows.map(({ courseId, ids }) => [courseId, ids.map(Number)]));
}

/** Converts a row to the contract's `Course`. */
export async function asCourse(tx: Tx, row: CourseRow): Promise<CourseRecord> {
  const [course] = await asCourses(tx, [row]);
  return course as CourseRecord;
}

/** Reads and locks a course, so that no other request changes it before this one is written. */
export async function lockCourse(tx: Tx, id: number): Promise<CourseRow> {
  const row = await tx.course.lockFirst({ where: { id, deletedAt: null }, sharesKey: true });
  if (!row) throw fail('not_found');
  return row;
}

/** Fails with 404 unless the course exists and was not deleted. */
export async function checkCourse(tx: Tx, id: number): Promise<void> {
  if (!(await tx.course.count({ where: { id, deletedAt: null } }))) throw fail('not_found');
}

/** Courses that were deleted before this time cannot be restored. */
export function restorableSince(): Date {
  return new Date(Date.now() - restorableCourseDays * dayMs);
}

/** The texts of a certificate as a request sends them. */
type CertificateInput =
  | {
      title: string;
      text?: string | null | undefined;
      signatory?: string | null | undefined;
      signatoryTitle?: string | null | undefined;
    }
  | null
  | undefined;

/** The texts of a certificate with all of their fields; undefined if the request does not name them. */
export function certificateOf(input: CertificateInput): CourseRecord['certificate'] | undefined {
  if (!input) return input;
  const { title, text = null, signatory = null, signatoryTitle = null } = input;
  return { title, text, signatory, signatoryTitle };
}

/** The texts of a certificate as their column stores them. */
export const toCertificateColumn = (certificate: CourseRecord['certificate']) => certificate ?? Prisma.DbNull;
