import { fail } from '@tandem/service';
import type { Lesson, lessons } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Handler } from '../../handler.ts';

export const listLessons: Handler<typeof lessons.listLessons> = async ({ params, tx, list }) => {
  if (!(await tx.course.count({ where: { id: params.id } }))) throw fail('not_found');
  const page = await list({ model: tx.lesson, where: { courseId: params.id } });
  return { ...page, items: page.items as unknown as z.output<typeof Lesson>[] };
};
