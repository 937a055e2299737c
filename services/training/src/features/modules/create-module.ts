import { fail } from '@tandem/service';
import { moduleCreated, type modules, modulesMax } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { renumberModules } from '../content/lesson-order.ts';
import { lockCourse } from '../courses/course.ts';

export const createModule: Handler<typeof modules.createModule> = async ({ params, body, tx, emit, schedule }) => {
  const course = await lockCourse(tx, params.id);
  if (course.modulesCount >= modulesMax) throw fail('too_many_modules');
  // Modules of earlier releases have gaps in their order.
  await renumberModules(tx, course.id);
  const order = await tx.module.count({ where: { courseId: course.id } });
  const module = await tx.module.create({ data: { ...body, courseId: course.id, order } });
  await changeContent({ tx, schedule }, course, { isStructure: false, modules: 1 });
  emit(moduleCreated, { data: { moduleId: module.id, courseId: course.id }, record: module });
  return module;
};
