import type { lessons } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { isAuthor } from '../progress/teacher.ts';
import { asLesson, detailOf, findLesson, type LessonRecord } from './lesson.ts';
import { checkLessonOpen, findOwnEnrollment } from './lesson-access.ts';
import { fileUrlOf } from './lesson-files.ts';

interface Found {
  lesson: LessonRecord;
  fileUrl: string | null;
}

export const getLesson = ({ peers }: Pick<Tools, 'peers'>): Handler<typeof lessons.getLesson, Found> => ({
  async check({ params, caller, tx }) {
    const lesson = asLesson(await findLesson(tx, params.id));
    if (!isAuthor(caller)) await checkLessonOpen(tx, await findOwnEnrollment(tx, caller, lesson.courseId), lesson.id);
    return { lesson, fileUrl: await fileUrlOf(peers, lesson.fileId, caller) };
  },
  run: ({ found: { lesson, fileUrl }, caller, tx }) => detailOf(tx, lesson, { caller, fileUrl }),
});
