import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import {
  Completion,
  Lesson,
  type LessonDetail,
  type LessonSummary,
  Quiz,
  Release,
  withoutKey,
} from '@tandem/training-contract';
import { z } from 'zod';
import { type Course as CourseRow, type Lesson as LessonRow, Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { checkCourse, lockCourse } from '../courses/course.ts';
import { isAuthor, isTeacher } from '../progress/teacher.ts';
import { questionsOf } from '../questions/lesson-questions.ts';
import { packageOfLesson, summaryOf } from '../scorm/stored-package.ts';

export type LessonRecord = z.output<typeof Lesson>;
export type { LessonRow };

/** The columns of a lesson without its material, which has up to 100 KB. */
export const summaryColumns = {
  id: true,
  courseId: true,
  moduleId: true,
  title: true,
  type: true,
  fileId: true,
  durationSeconds: true,
  required: true,
  order: true,
  completion: true,
  release: true,
  quiz: true,
  version: true,
  createdAt: true,
  updatedAt: true,
} as const;

type SummaryRow = Pick<LessonRow, keyof typeof summaryColumns>;

const columns = Lesson.pick({ type: true });
const noCompletion = { minSeconds: null, passScore: null, maxAttempts: null };

/** Converts a row to the contract's `LessonSummary`. */
export function asLessonSummary<Row extends SummaryRow>(
  row: Row,
): Omit<Row, keyof SummaryRow> & z.output<typeof LessonSummary> {
  return {
    ...row,
    ...columns.parse(row),
    // Earlier releases wrote lessons with the rule only.
    completion: Completion.parse({ ...noCompletion, ...(row.completion as object) }),
    release: z.decode(Release, row.release as z.input<typeof Release>),
    quiz: row.quiz === null ? null : z.decode(Quiz, row.quiz as z.input<typeof Quiz>),
  };
}

/** Converts a row to the contract's `Lesson`. */
export function asLesson(row: LessonRow): LessonRecord {
  return asLessonSummary(row);
}

/** The settings of a lesson as their columns store them: ids as texts and times in ISO 8601, as clients send them. */
export function toSettingColumns(settings: Partial<Pick<LessonRecord, 'completion' | 'release' | 'quiz'>>) {
  const { completion, release, quiz } = settings;
  return {
    ...(completion && { completion }),
    ...(release && { release: z.encode(Release, release) }),
    ...(quiz !== undefined && { quiz: quiz === null ? Prisma.DbNull : z.encode(Quiz, quiz) }),
  };
}

/** Reads a lesson of a course that was not deleted. */
export async function findLesson(tx: Tx, id: number): Promise<LessonRow> {
  const row = await tx.lesson.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  await checkCourse(tx, row.courseId);
  return row;
}

/** Locks a lesson and, first, its course: all writes of the content of a course follow one another. */
export async function lockLesson(tx: Tx, id: number): Promise<{ row: LessonRow; course: CourseRow }> {
  const { courseId } = await findLesson(tx, id);
  const course = await lockCourse(tx, courseId);
  const row = await tx.lesson.lockFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return { row, course };
}

/** Adds the questions, which learners get by attempts only, and the link to the file. */
export async function detailOf(
  tx: Tx,
  lesson: LessonRecord,
  { caller, fileUrl }: { caller: Caller; fileUrl: string | null },
): Promise<z.output<typeof LessonDetail>> {
  const questions = lesson.type === 'quiz' && isAuthor(caller) ? await questionsOf(tx, lesson.id) : [];
  const scorm = await scormOf(tx, lesson);
  return { ...lesson, fileUrl, scorm, questions: isTeacher(caller) ? questions : questions.map(withoutKey) };
}

/** The SCORM package of a lesson; null for a lesson of another type. */
export async function scormOf(tx: Tx, { id, type }: LessonRecord) {
  const found = type === 'scorm' ? await packageOfLesson(tx, id) : undefined;
  return found ? summaryOf(found) : null;
}
