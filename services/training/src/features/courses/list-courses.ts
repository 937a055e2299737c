import type { courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourses } from './course.ts';

export const listCourses: Handler<typeof courses.listCourses> = async ({ query, tx, list }) => {
  const { status, category } = query;
  const page = await list({
    model: tx.course,
    where: { deletedAt: null, ...(status && { status }), ...(category && { category }) },
    searchIn: ['title'],
  });
  return { ...page, items: await asCourses(tx, page.items) };
};
