import { fail } from '@tandem/service';
import type { modules } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { checkCourse } from '../courses/course.ts';

export const getModule: Handler<typeof modules.getModule> = async ({ params, tx }) => {
  await checkCourse(tx, params.id);
  const module = await tx.module.findFirst({ where: { id: params.moduleId, courseId: params.id } });
  if (!module) throw fail('not_found');
  return module;
};
