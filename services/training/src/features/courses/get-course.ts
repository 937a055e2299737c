import { fail } from '@tandem/service';
import type { courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourse } from './course.ts';

export const getCourse: Handler<typeof courses.getCourse> = async ({ params, tx }) => {
  const row = await tx.course.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return asCourse(tx, row);
};
