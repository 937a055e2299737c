import { idInText } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Numbers the lessons of a locked course from 0: those without a module, then those of each module in the order of the
 * modules. Resolves to whether an existing position has changed.
 */
export async function renumberLessons(tx: Tx, courseId: number): Promise<boolean> {
  const moved = await tx.sql`
    WITH numbered AS (
      SELECT lesson.id, row_number() OVER (
        ORDER BY module."order" NULLS FIRST, module.id NULLS FIRST, lesson."order", lesson.id)::int - 1 AS position
      FROM lesson LEFT JOIN module ON module.id = lesson.module_id
      WHERE lesson.course_id = ${courseId} AND lesson.deleted_at IS NULL)
    UPDATE lesson SET "order" = position FROM numbered
    WHERE lesson.id = numbered.id AND lesson."order" <> position RETURNING lesson.id`;
  return moved.length > 0;
}

/** Numbers the modules of a locked course from 0. */
export async function renumberModules(tx: Tx, courseId: number): Promise<void> {
  await tx.sql`
    WITH numbered AS (
      SELECT id, row_number() OVER (ORDER BY "order", id)::int - 1 AS position
      FROM module WHERE course_id = ${courseId})
    UPDATE module SET "order" = position FROM numbered
    WHERE module.id = numbered.id AND module."order" <> position RETURNING module.id`;
}

/** Fails with 422 on a field if a lesson would open after one that does not come before it. */
export async function checkReleases(tx: Tx, courseId: number, field: string): Promise<void> {
  const wrong = await lateReleases(tx, courseId);
  if (!wrong.length) return;
  const errors = wrong
    .slice(0, 20)
    .map(({ id }) => ({ field, message: `${idInText('lesson', id)} must come after the lesson that opens it` }));
  throw fail('validation_failed', errors);
}

/** The lessons of a course that open after a lesson that is missing, or that does not come before them. */
export async function lateReleases(tx: Tx, courseId: number): Promise<{ id: number }[]> {
  const rows = await tx.sql<{ id: number }>`
    SELECT lesson.id FROM lesson LEFT JOIN lesson AS opener ON opener.id = (lesson.release->>'lessonId')::bigint
      AND opener.course_id = lesson.course_id AND opener.deleted_at IS NULL
    WHERE lesson.course_id = ${courseId} AND lesson.deleted_at IS NULL AND lesson.release->>'type' = 'after_lesson'
      AND (opener.id IS NULL OR opener."order" >= lesson."order")
    ORDER BY lesson."order"`;
  return rows.map(({ id }) => ({ id: Number(id) }));
}
