import type { Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { lessonLimits, questionLimits } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import type { LessonRecord } from './lesson.ts';
import { checkFile, fileUrlOf } from './lesson-files.ts';
import { isUrlType } from './settle-lesson.ts';

/** The result of `check` of a write. */
export interface CheckedLesson {
  /** The type that the content was cleaned for. */
  type: LessonRecord['type'];
  /** The cleaned content; absent if the request has none. */
  content?: string | null;
  fileUrl: string | null;
}

interface Input {
  content?: string | null | undefined;
  fileId?: number | null | undefined;
}

/** Cleans the content of a write and checks its file. */
export async function checkMaterial(
  { peers, cleaner }: Pick<Tools, 'peers' | 'cleaner'>,
  { content, fileId }: Input,
  { type, caller, fileIdBefore }: { type: LessonRecord['type']; caller: Caller; fileIdBefore: number | null },
): Promise<CheckedLesson> {
  await checkFile(peers, fileId, caller);
  const fileUrl = await fileUrlOf(peers, fileId === undefined ? fileIdBefore : fileId, caller);
  if (content === undefined) return { type, fileUrl };
  if (content === null || isUrlType(type)) return { type, content, fileUrl };
  const cleaned = await cleaner.clean(content, caller.tenantId);
  if ('error' in cleaned) throw failField('content', cleaned.error);
  // Cleaning writes some characters as entities, so the result can be longer.
  if (cleaned.html.length > lessonLimits.contentChars)
    throw failField('content', `Must be at most ${lessonLimits.contentChars} characters after cleaning`);
  return { type, content: cleaned.html, fileUrl };
}

/** Fails with 422 unless the module belongs to the course. */
export async function checkModule(tx: Tx, courseId: number, moduleId: number | null | undefined): Promise<void> {
  if (moduleId === null || moduleId === undefined) return;
  if (!(await tx.module.count({ where: { id: moduleId, courseId } }))) throw failField('moduleId', unknownId('module'));
}

/** Fails with 422 unless the lesson that opens another one belongs to the course. */
export async function checkOpener(
  tx: Tx,
  courseId: number,
  release: LessonRecord['release'] | undefined,
): Promise<void> {
  if (release?.type !== 'after_lesson') return;
  const where = { id: release.lessonId, courseId, deletedAt: null };
  if (!(await tx.lesson.count({ where }))) throw failField('release.lessonId', unknownId('lesson'));
}

/**
 * Fails with 422 unless the banks of the draws of a quiz exist. Locks them in the order of their ids, so that they stay
 * until the draws are written.
 */
export async function checkDraws(tx: Tx, draw: { bankId: number; count: number }[], questions: number): Promise<void> {
  if (!draw.length) return;
  const ids = draw.map(({ bankId }) => bankId);
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM question_bank WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR UPDATE`;
  const known = new Set(rows.map(({ id }) => Number(id)));
  const errors: FieldError[] = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `quiz.draw.${index}.bankId`, message: unknownId('question_bank') }],
  );
  const drawn = draw.reduce((sum, { count }) => sum + count, 0);
  if (drawn + questions > questionLimits.perLesson)
    errors.push({
      field: 'quiz.draw',
      message: `An attempt has at most ${questionLimits.perLesson} questions with those of the lesson; draw fewer`,
    });
  if (errors.length) throw fail('validation_failed', errors);
}
