import { fail } from '@tandem/service';
import { courseRestored, type courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { examineSkipped } from '../enrollment-rules/examine-skipped.ts';
import { asCourse, restorableSince } from './course.ts';

export const restoreCourse: Handler<typeof courses.restoreCourse> = async (context) => {
  const { params, tx, emit, schedule, ifMatch } = context;
  const row = await tx.course.lockFirst({ where: { id: params.id }, sharesKey: true });
  if (!row || (row.deletedAt && row.deletedAt < restorableSince())) throw fail('not_found');
  ifMatch(row);
  if (!row.deletedAt) throw fail('not_deleted');
  const [restored] = await tx.course.updateManyAndReturn({
    where: { id: row.id },
    data: { deletedAt: null, version: { increment: 1 } },
  });
  if (!restored) throw fail('not_found');
  await examineSkipped({ tx, schedule }, restored);
  const course = await asCourse(tx, restored);
  emit(courseRestored, { data: { courseId: course.id }, record: course });
  return course;
};
