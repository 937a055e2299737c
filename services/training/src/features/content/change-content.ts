import type { Schedule } from '@tandem/jobs';
import { fail } from '@tandem/service';
import type { Course as CourseRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { followContentJob } from './follow-content-job.ts';

interface ContentChange {
  /** Whether the change decides about the completion of the course, such as a new required lesson. */
  isStructure: boolean;
  lessons?: number;
  modules?: number;
  /** Other columns of the course to write. */
  data?: Prisma.CourseUpdateManyMutationInput;
}

/**
 * Writes a locked course whose content changes: its version increases, because responses contain the lessons. A change of
 * the structure reaches running enrolments, also of an archived course, by a job: there can be 100,000 of them.
 */
export async function changeContent(
  { tx, schedule }: { tx: Tx; schedule: Schedule },
  course: Pick<CourseRow, 'id' | 'status'>,
  { isStructure, lessons = 0, modules = 0, data }: ContentChange,
): Promise<CourseRow> {
  const isFollowed = isStructure && course.status !== 'draft';
  const [row] = await tx.course.updateManyAndReturn({
    where: { id: course.id },
    data: {
      ...data,
      ...(isFollowed && { contentVersion: { increment: 1 } }),
      ...(lessons && { lessonsCount: { increment: lessons } }),
      ...(modules && { modulesCount: { increment: modules } }),
      version: { increment: 1 },
    },
  });
  if (!row) throw fail('not_found');
  if (isFollowed) await schedule(followContentJob, [{ courseId: course.id, contentVersion: row.contentVersion }]);
  return row;
}
