import type { Caller } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import { type FieldError, idInText } from '@tandem/contract';
import { asService, fail, failField } from '@tandem/service';
import { Quiz } from '@tandem/training-contract';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { lateReleases } from '../content/lesson-order.ts';

/** A reason that a lesson cannot be published. */
interface Fault {
  lessonId: number;
  /** The position in the course. */
  order: number;
  field: string;
  message: string;
}

/** The files of a version of a course that are not available. */
export interface FileCheck {
  version: number;
  faults: Fault[];
}

// Calls of one request to the files service at the same time.
const callsMax = 8;

/** Checks the files of a course. Must not run inside a transaction. */
export async function checkFiles(
  { peers }: Pick<Tools, 'peers'>,
  tx: Tx,
  { courseId, caller }: { courseId: number; caller: Caller },
): Promise<FileCheck> {
  const course = await tx.course.findFirst({ where: { id: courseId, deletedAt: null } });
  if (!course) throw fail('not_found');
  const lessons = await tx.lesson.findMany({
    where: { courseId, deletedAt: null, fileId: { not: null } },
    select: { id: true, order: true, fileId: true },
    orderBy: { order: 'asc' },
  });
  const faults: Fault[] = [];
  const waiting = [...lessons];
  const check = async () => {
    for (let lesson = waiting.shift(); lesson; lesson = waiting.shift()) {
      const status = await peers.files
        .findFile({ params: { id: lesson.fileId as number }, as: asService(caller) })
        .then((file) => file.status)
        .catch(statusOfMissing);
      if (status !== 'available')
        faults.push({
          lessonId: lesson.id,
          order: lesson.order,
          field: 'fileId',
          message: `The file is ${status}; choose another one`,
        });
    }
  };
  await Promise.all(Array.from({ length: callsMax }, check));
  return { version: course.version, faults };
}

function statusOfMissing(error: unknown): 'deleted' {
  if (error instanceof ServiceCallError && error.status === 404) return 'deleted';
  throw error;
}

/**
 * Fails with 422 unless a locked course can be published; each error names the lesson.
 * @param files of the same version of the course
 */
export async function checkPublishable(tx: Tx, courseId: number, files: FileCheck): Promise<void> {
  const count = await tx.lesson.count({ where: { courseId, deletedAt: null } });
  if (!count)
    throw fail('validation_failed', [
      { field: 'lessons', message: 'The course has no lessons; add at least one before you publish it' },
    ]);
  await checkPassScore(tx, courseId, 'passScore');
  const faults = [...(await lessonFaults(tx, courseId)), ...files.faults];
  if (!faults.length) return;
  const errors = faults
    .sort((one, other) => one.order - other.order)
    .slice(0, 100)
    .map(({ lessonId, order, field, message }) => ({
      field: `lessons.${order}.${field}`,
      message: `${message} (${idInText('lesson', lessonId)})`,
    }));
  throw fail('validation_failed', errors);
}

/**
 * Fails with 422 for a pass mark that has no effect: without a required lesson with a score, or with one that is completed
 * without it.
 * @param field the field of the request that decides it
 */
export async function checkPassScore(tx: Tx, courseId: number, field: string): Promise<void> {
  const course = await tx.course.findFirst({ where: { id: courseId }, select: { passScore: true } });
  if (!course || course.passScore === null) return;
  const scored = await tx.sql<{ title: string; rule: string }>`
    SELECT title, completion ->> 'rule' AS rule FROM lesson
    WHERE course_id = ${courseId} AND deleted_at IS NULL AND required AND type IN ('quiz', 'assignment', 'scorm')
    ORDER BY "order"`;
  const unscored = scored.find(({ rule }) => rule === 'view' || rule === 'min_time');
  if (scored.length && !unscored) return;
  const message = unscored
    ? `The lesson “${unscored.title}” is completed without its score, by the rule ${unscored.rule}; change the rule, or remove the passScore of the course`
    : 'The course has no required quiz, assignment or package, so it has no score; add one, or remove passScore';
  throw failField(field, message);
}

/** Fails with 422 if a lesson of a course that is not a draft lacks something that learners need. */
export async function checkLessonComplete(
  tx: Tx,
  course: { id: number; status: string },
  lessonId: number,
): Promise<void> {
  if (course.status === 'draft') return;
  const faults = await lessonFaults(tx, course.id, lessonId);
  const errors: FieldError[] = faults.map(({ field, message }) => ({ field, message }));
  if (errors.length) throw fail('validation_failed', errors);
}

const columns = z.object({ quiz: Quiz.nullable() });

interface LessonRow {
  id: number;
  order: number;
  type: string;
  hasContent: boolean;
  hasFile: boolean;
  quiz: unknown;
  questions: number;
}

/** Finds the reasons that the lessons of a course, or one of them, cannot be published. Locks the banks from which they draw. */
async function lessonFaults(tx: Tx, courseId: number, lessonId: number | null = null): Promise<Fault[]> {
  const rows = await tx.sql<LessonRow>`
    SELECT id, "order", type, coalesce(content, '') <> '' AS "hasContent", file_id IS NOT NULL AS "hasFile", quiz,
      CASE WHEN type = 'quiz' THEN (SELECT count(*)::int FROM question WHERE lesson_id = lesson.id) ELSE 0 END AS questions
    FROM lesson
    WHERE course_id = ${courseId} AND deleted_at IS NULL AND (${lessonId}::bigint IS NULL OR id = ${lessonId})
    ORDER BY "order"`;
  const lessons = rows.map((row) => ({ ...row, id: Number(row.id), quiz: z.decode(columns, row as never).quiz }));
  const available = await questionsIn(
    tx,
    lessons.flatMap(({ quiz }) => quiz?.draw.map(({ bankId }) => bankId) ?? []),
  );
  const late = new Set((await lateReleases(tx, courseId)).map(({ id }) => id));
  return lessons.flatMap((lesson) => {
    const fault = (field: string, message: string) => ({ lessonId: lesson.id, order: lesson.order, field, message });
    const draws = lesson.quiz?.draw ?? [];
    return [
      ...(isEmpty(lesson)
        ? [fault(lesson.type === 'file' || lesson.type === 'scorm' ? 'fileId' : 'content', materialOf(lesson.type))]
        : []),
      ...(lesson.type === 'quiz' && !lesson.questions && !draws.length
        ? [fault('questions', 'The quiz has no questions; add some, or draw them from a bank')]
        : []),
      ...draws.flatMap(({ bankId, count }, index) => {
        const has = available.get(bankId) ?? 0;
        return has < count ? [fault(`quiz.draw.${index}.count`, `The bank has only ${has} questions`)] : [];
      }),
      ...(late.has(lesson.id)
        ? [fault('release.lessonId', 'The lesson must come after the lesson that opens it')]
        : []),
    ];
  });
}

function isEmpty({ type, hasContent, hasFile }: LessonRow): boolean {
  if (type === 'file' || type === 'scorm') return !hasFile;
  if (type === 'video') return !hasContent && !hasFile;
  return type === 'link' && !hasContent;
}

function materialOf(type: string): string {
  if (type === 'file' || type === 'scorm') return 'The lesson has no file; send its id';
  return type === 'video' ? 'The video has neither a URL nor a file' : 'The link has no URL; send one';
}

/** The number of questions of banks, which are locked in the order of their ids: their questions stay until the commit. */
async function questionsIn(tx: Tx, bankIds: number[]): Promise<Map<number, number>> {
  if (!bankIds.length) return new Map();
  const rows = await tx.sql<{ id: number; count: number }>`
    SELECT id, questions_count AS count FROM question_bank WHERE id = ANY(${bankIds}::bigint[]) ORDER BY id FOR UPDATE`;
  return new Map(rows.map(({ id, count }) => [Number(id), count]));
}
