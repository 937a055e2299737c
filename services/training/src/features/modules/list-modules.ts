import type { modules } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { checkCourse } from '../courses/course.ts';

export const listModules: Handler<typeof modules.listModules> = async ({ params, tx, list }) => {
  await checkCourse(tx, params.id);
  return list({ model: tx.module, where: { courseId: params.id } });
};
