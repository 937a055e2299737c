import type { Caller } from '@tandem/caller';
import type { lessons } from '@tandem/training-contract';
import type { Handler, Tx } from '../../handler.ts';
import { checkCourse } from '../courses/course.ts';
import { readProgress } from '../progress/read-progress.ts';
import { isAuthor } from '../progress/teacher.ts';
import { asLesson } from './lesson.ts';
import { findOwnEnrollment } from './lesson-access.ts';

export const listLessons: Handler<typeof lessons.listLessons> = async ({ params, caller, tx, list }) => {
  await checkCourse(tx, params.id);
  const locked = await lockedFor(tx, caller, params.id);
  const page = await list({ model: tx.lesson, where: { courseId: params.id, deletedAt: null } });
  const items = page.items.map(asLesson);
  return { ...page, items: items.map((lesson) => (locked.has(lesson.id) ? { ...lesson, content: null } : lesson)) };
};

/** The lessons whose material the caller may not read yet. */
async function lockedFor(tx: Tx, caller: Caller, courseId: number): Promise<Set<number>> {
  if (isAuthor(caller)) return new Set();
  const { lessons: outline } = await readProgress(tx, await findOwnEnrollment(tx, caller, courseId));
  return new Set(outline.flatMap(({ lessonId, status }) => (status === 'locked' ? [lessonId] : [])));
}
