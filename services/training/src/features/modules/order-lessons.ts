import { failField } from '@tandem/service';
import { courseUpdated, type modules } from '@tandem/training-contract';
import type { Handler, Tx } from '../../handler.ts';
import { changeContent } from '../content/change-content.ts';
import { checkReleases } from '../content/lesson-order.ts';
import { asCourse, lockCourse } from '../courses/course.ts';
import { asLessonSummary, summaryColumns } from '../lessons/lesson.ts';
import { checkComplete } from './check-order.ts';
import { modulesOf } from './module.ts';

export const orderLessons: Handler<typeof modules.orderLessons> = async ({
  params,
  body: { ids },
  tx,
  emit,
  schedule,
}) => {
  const course = await lockCourse(tx, params.id);
  const before = await lessonsOf(tx, course.id);
  checkComplete(ids, before, 'lesson');
  await checkModules(tx, course.id, { ids, lessons: before });
  const idsBefore = before.map(({ id }) => id);
  if (ids.every((id, index) => id === idsBefore[index])) return { lessons: before.map(asLessonSummary) };
  await tx.sql`
    UPDATE lesson SET "order" = place - 1 FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS wanted (wanted_id, place)
    WHERE id = wanted_id AND "order" <> place - 1 RETURNING id`;
  await checkReleases(tx, course.id, 'ids');
  const row = await changeContent({ tx, schedule }, course, { isStructure: true });
  const record = await asCourse(tx, row);
  emit(courseUpdated, { data: { courseId: course.id }, record, changes: { lessons: { from: idsBefore, to: ids } } });
  return { lessons: (await lessonsOf(tx, course.id)).map(asLessonSummary) };
};

function lessonsOf(tx: Tx, courseId: number) {
  return tx.lesson.findMany({
    where: { courseId, deletedAt: null },
    orderBy: { order: 'asc' },
    select: summaryColumns,
  });
}

interface Order {
  ids: number[];
  lessons: { id: number; moduleId: number | null }[];
}

/** Fails with 422 unless the lessons follow the order of their modules. */
async function checkModules(tx: Tx, courseId: number, { ids, lessons }: Order): Promise<void> {
  const places = new Map<number | null, number>([[null, -1]]);
  for (const { id, order } of await modulesOf(tx, courseId)) places.set(id, order);
  const moduleOf = new Map(lessons.map(({ id, moduleId }) => [id, moduleId]));
  const order = ids.map((id) => places.get(moduleOf.get(id) ?? null) ?? -1);
  if (order.some((place, index) => index > 0 && place < (order[index - 1] as number)))
    throw failField(
      'ids',
      'Must have lessons without a module first, then those of each module in the order of the modules; update moduleId to move a lesson',
    );
}
