import type { courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asCourses, restorableSince } from './course.ts';

export const listCourses: Handler<typeof courses.listCourses> = async ({ query, tx, list }) => {
  const { status, audience, category, deleted } = query;
  const page = await list({
    model: tx.course,
    where: {
      // Courses with enrolments stay after the time in which they can be restored.
      deletedAt: deleted ? { gte: restorableSince() } : null,
      ...(status && { status }),
      ...(audience && { audience }),
      ...(category && { category }),
    },
    searchIn: ['title'],
  });
  return { ...page, items: await asCourses(tx, page.items) };
};
