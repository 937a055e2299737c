import { type modules, moduleUpdated } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { checkReleases, renumberLessons } from '../content/lesson-order.ts';
import { lockCourse } from '../courses/course.ts';
import { checkComplete } from './check-order.ts';
import { modulesOf } from './module.ts';

export const orderModules: Handler<typeof modules.orderModules> = async ({
  params,
  body: { ids },
  tx,
  emit,
  schedule,
}) => {
  const course = await lockCourse(tx, params.id);
  const before = await modulesOf(tx, course.id);
  checkComplete(ids, before, 'module');
  const moved = before.filter(({ id, order }) => ids[order] !== id);
  if (!moved.length) return { modules: before };
  await tx.sql`
    UPDATE module SET "order" = place - 1, version = version + 1, updated_at = now()
    FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS wanted (wanted_id, place)
    WHERE id = wanted_id AND "order" <> place - 1 RETURNING id`;
  const isMoved = await renumberLessons(tx, course.id);
  await checkReleases(tx, course.id, 'ids');
  await changeContent({ tx, schedule }, course, { isStructure: isMoved });
  const after = await modulesOf(tx, course.id);
  const orderBefore = new Map(before.map(({ id, order }) => [id, order]));
  for (const module of after) {
    const from = orderBefore.get(module.id);
    if (from === module.order) continue;
    const changes = { order: { from, to: module.order } };
    emit(moduleUpdated, { data: { moduleId: module.id, courseId: course.id }, record: module, changes });
  }
  return { modules: after };
};
