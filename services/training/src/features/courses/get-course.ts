import { fail } from '@tandem/service';
import type { courses } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asLessonSummary, summaryColumns } from '../lessons/lesson.ts';
import { asCourse } from './course.ts';

export const getCourse: Handler<typeof courses.getCourse> = async ({ params, tx }) => {
  const row = await tx.course.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  const [course, modules, rows] = await Promise.all([
    asCourse(tx, row),
    tx.module.findMany({ where: { courseId: row.id }, orderBy: { order: 'asc' } }),
    tx.lesson.findMany({
      where: { courseId: row.id, deletedAt: null },
      orderBy: { order: 'asc' },
      select: summaryColumns,
    }),
  ]);
  const lessons = rows.map(asLessonSummary);
  const ofModule = Map.groupBy(lessons, ({ moduleId }) => moduleId);
  return {
    ...course,
    lessons: ofModule.get(null) ?? [],
    modules: modules.map((module) => ({ ...module, lessons: ofModule.get(module.id) ?? [] })),
  };
};
