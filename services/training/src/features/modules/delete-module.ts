import { unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { moduleDeleted, type modules } from '@tandem/training-contract';
import type { Handler, Tx } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { checkReleases, renumberLessons, renumberModules } from '../content/lesson-order.ts';
import { lockModule } from './module.ts';

export const deleteModule: Handler<typeof modules.deleteModule> = async ({
  params,
  query,
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const { course, module } = await lockModule(tx, params);
  ifMatch(module);
  const { moveTo } = query;
  if (moveTo !== undefined) await checkTarget(tx, { courseId: course.id, moduleId: module.id, moveTo });
  const lessons = await tx.lesson.count({ where: { courseId: course.id, moduleId: module.id, deletedAt: null } });
  if (lessons && moveTo === undefined) throw fail('module_not_empty');
  if (lessons) await moveLessons(tx, { from: module.id, to: moveTo as number });
  // Deleted lessons stay for the progress of learners, without their module.
  await tx.lesson.updateMany({ where: { moduleId: module.id }, data: { moduleId: null } });
  await tx.module.deleteMany({ where: { id: module.id } });
  await renumberModules(tx, course.id);
  const isMoved = await renumberLessons(tx, course.id);
  if (lessons) await checkReleases(tx, course.id, 'moveTo');
  await changeContent({ tx, schedule }, course, { isStructure: isMoved, modules: -1 });
  emit(moduleDeleted, { data: { moduleId: module.id, courseId: course.id }, record: module });
  return { id: module.id, deleted: true };
};

interface Move {
  courseId: number;
  moduleId: number;
  moveTo: number;
}

async function checkTarget(tx: Tx, { courseId, moduleId, moveTo }: Move): Promise<void> {
  if (moveTo === moduleId) throw failField('moveTo', 'Must be another module of the course');
  if (!(await tx.module.count({ where: { id: moveTo, courseId } }))) throw failField('moveTo', unknownId('module'));
}

/** Moves lessons to the end of a module; they keep their order. */
async function moveLessons(tx: Tx, { from, to }: { from: number; to: number }): Promise<void> {
  await tx.sql`
    UPDATE lesson SET module_id = ${to}, "order" = "order" + 1000000, version = version + 1, updated_at = now()
    WHERE module_id = ${from} AND deleted_at IS NULL RETURNING id`;
}
