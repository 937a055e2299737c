import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asLesson, findLesson, type LessonRecord, scormOf } from '../lessons/lesson.ts';
import { checkLessonOpen } from '../lessons/lesson-access.ts';
import { fileUrlOf } from '../lessons/lesson-files.ts';
import { readOwnEnrollment } from './partner.ts';

type Found = LessonRecord & { fileUrl: string | null };

export const getPortalLesson = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof portalTraining.getPortalLesson, Found> => ({
  async check({ params, caller, tx }) {
    await checkLessonOpen(tx, await readOwnEnrollment(tx, params.id, caller), params.lessonId);
    const lesson = asLesson(await findLesson(tx, params.lessonId));
    return { ...lesson, fileUrl: await fileUrlOf(peers, lesson.fileId, caller) };
  },
  run: async ({ found, tx }) => ({ ...found, scorm: await scormOf(tx, found) }),
});
