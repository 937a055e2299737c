import { fail } from '@tandem/service';
import type { lessons } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asLesson } from './lesson.ts';

export const listLessons: Handler<typeof lessons.listLessons> = async ({ params, tx, list }) => {
  if (!(await tx.course.count({ where: { id: params.id } }))) throw fail('not_found');
  const page = await list({ model: tx.lesson, where: { courseId: params.id } });
  return { ...page, items: page.items.map(asLesson) };
};
