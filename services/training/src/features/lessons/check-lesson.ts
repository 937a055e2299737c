import type { Caller } from '@tandem/caller';
import { type FieldError, unknownId } from '@tandem/contract';
import { fail, failField } from '@tandem/service';
import { lessonLimits, questionLimits } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { rejectMember } from '../progress/teacher.ts';
import { type PreparedPackage, preparePackage } from '../scorm/stored-package.ts';
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
  /** The SCORM package of the file; absent if the request does not change it. */
  scorm?: PreparedPackage;
}

interface Input {
  content?: string | null | undefined;
  fileId?: number | null | undefined;
}

/** Dependencies of the writes of lessons. */
export type LessonTools = Pick<Tools, 'peers' | 'cleaner' | 'packages'>;
/** The material that a lesson had before a write. */
type FormerMaterial = Pick<LessonRecord, 'type' | 'fileId'>;

/** Cleans the content of a write, and checks its file and its package. */
export async function checkMaterial(
  { peers, cleaner, packages }: LessonTools,
  { content, fileId }: Input,
  { type, tx, caller, before }: { type: LessonRecord['type']; tx: Tx; caller: Caller; before?: FormerMaterial },
): Promise<CheckedLesson> {
  // The file of a lesson that becomes a SCORM lesson is read although the request does not name it.
  const isPackage = type === 'scorm' && (fileId !== undefined || before?.type !== 'scorm');
  const usedId = fileId === undefined ? (before?.fileId ?? null) : fileId;
  const file = await checkFile(peers, isPackage ? usedId : fileId, caller);
  const fileUrl = await fileUrlOf(peers, usedId, caller);
  const checked: CheckedLesson = { type, fileUrl };
  if (isPackage && file)
    checked.scorm = await preparePackage({ packages }, tx, { fileId: file.id, checksum: file.checksumSha256, caller });
  if (content === undefined) return checked;
  if (content === null || isUrlType(type)) return { ...checked, content };
  const cleaned = await cleaner.clean(content, caller.tenantId);
  if ('error' in cleaned) throw failField('content', cleaned.error);
  // Cleaning writes some characters as entities, so the result can be longer.
  if (cleaned.html.length > lessonLimits.contentChars)
    throw failField('content', `Must be at most ${lessonLimits.contentChars} characters after cleaning`);
  return { ...checked, content: cleaned.html };
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
 * Refuses a quiz that draws from question banks and shows their answers: members, who write and take courses, do not see them,
 * and `after_pass` hides nothing in a quiz with a low pass mark.
 * @throws 403 without `training:manage`
 */
export function checkShown(caller: Caller, quiz: { draw: unknown[]; showAnswers: string } | null | undefined): void {
  if (!quiz?.draw.length || quiz.showAnswers === 'never') return;
  rejectMember(caller, 'quiz.showAnswers', 'Shows the answers of question banks; send never');
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
