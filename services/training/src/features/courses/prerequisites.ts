import { unknownId } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Replaces the prerequisites of a course. Call `lockPrerequisites` before an existing course is locked.
 * @throws 422 for an unknown course, 409 if a course would require itself through others
 */
export async function writePrerequisites(tx: Tx, courseId: number, requiredIds: number[]): Promise<void> {
  await checkKnown(tx, requiredIds);
  await checkCycle(tx, courseId, requiredIds);
  await tx.coursePrerequisite.deleteMany({ where: { courseId, requiredCourseId: { notIn: requiredIds } } });
  const kept = await tx.coursePrerequisite.findMany({ where: { courseId }, select: { requiredCourseId: true } });
  const known = new Set(kept.map(({ requiredCourseId }) => requiredCourseId));
  const added = requiredIds.filter((id) => !known.has(id));
  if (added.length)
    await tx.coursePrerequisite.createMany({
      data: added.map((requiredCourseId) => ({ courseId, requiredCourseId })),
    });
}

/**
 * Locks the prerequisites of a tenant until the end of the transaction: two requests that each close one half of a cycle
 * change different courses, so that the locks of these are not enough. It comes before the lock of a course, because a
 * prerequisite that is stored waits for the lock of the required course.
 */
export async function lockPrerequisites(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('course prerequisites',
    platform.tenant_id() * 2 + (platform.environment() = 'live')::int))`;
}

async function checkKnown(tx: Tx, ids: number[]): Promise<void> {
  if (!ids.length) return;
  const found = await tx.course.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  const errors = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `prerequisiteCourseIds.${index}`, message: unknownId('course') }],
  );
  if (errors.length) throw fail('validation_failed', errors);
}

/** Follows deleted courses too, because they can be restored. */
async function checkCycle(tx: Tx, courseId: number, requiredIds: number[]): Promise<void> {
  const closing = await tx.sql<{ start: number }>`
    WITH RECURSIVE required AS (
      SELECT id AS start, id FROM unnest(${requiredIds}::bigint[]) AS id
      UNION
      SELECT required.start, required_course_id FROM required JOIN course_prerequisite ON course_id = required.id)
    SELECT DISTINCT start FROM required WHERE id = ${courseId}`;
  if (!closing.length) return;
  const starts = new Set(closing.map(({ start }) => Number(start)));
  const errors = requiredIds.flatMap((id, index) => {
    const message = id === courseId ? 'A course cannot require itself' : 'The course requires this one already';
    return starts.has(id) ? [{ field: `prerequisiteCourseIds.${index}`, message }] : [];
  });
  throw fail('prerequisite_cycle', errors);
}
