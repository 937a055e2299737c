import type { lessons } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { checkCourse } from '../courses/course.ts';
import { asLesson } from './lesson.ts';

export const listLessons: Handler<typeof lessons.listLessons> = async ({ params, tx, list }) => {
  await checkCourse(tx, params.id);
  const page = await list({ model: tx.lesson, where: { courseId: params.id, deletedAt: null } });
  return { ...page, items: page.items.map(asLesson) };
};
