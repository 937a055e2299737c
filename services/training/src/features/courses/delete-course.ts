import { fail } from '@tandem/service';
import { courseDeleted, type courses, restorableCourseDays } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { liveStatuses } from '../enrollments/enrollment.ts';
import { asCourse, lockCourse } from './course.ts';
import { lockPrerequisites } from './prerequisites.ts';
import { purgeCourseJob } from './purge-course.job.ts';

const dayMs = 86_400_000;

export const deleteCourse: Handler<typeof courses.deleteCourse> = async ({ params, tx, emit, schedule, ifMatch }) => {
  await lockPrerequisites(tx);
  const row = await lockCourse(tx, params.id);
  ifMatch(row);
  const live = { courseId: row.id, status: { in: liveStatuses } };
  if (await tx.enrollment.findFirst({ where: live, select: { id: true } })) throw fail('live_enrollments');
  const requiring = await tx.sql`
    SELECT course.id FROM course_prerequisite JOIN course ON course.id = course_id
    WHERE required_course_id = ${row.id} AND deleted_at IS NULL LIMIT 1`;
  if (requiring.length) throw fail('course_required');
  const deletedAt = new Date();
  const [deleted] = await tx.course.updateManyAndReturn({
    where: { id: row.id },
    data: { deletedAt, version: { increment: 1 } },
  });
  if (!deleted) throw fail('not_found');
  const purgeAt = new Date(deletedAt.getTime() + restorableCourseDays * dayMs);
  await schedule(purgeCourseJob, [{ courseId: row.id, version: deleted.version }], purgeAt);
  emit(courseDeleted, { data: { courseId: row.id }, record: await asCourse(tx, deleted) });
  return { id: row.id, deleted: true };
};
