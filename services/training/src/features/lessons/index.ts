import type { Handlers } from '@tandem/service';
import type { internalRebuilds, lessons } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { createLesson } from './create-lesson.ts';
import { deleteLesson } from './delete-lesson.ts';
import { getLesson } from './get-lesson.ts';
import { listLessons } from './list-lessons.ts';
import { rebuildLessonContent } from './rebuild-lesson-content.ts';
import { updateLesson } from './update-lesson.ts';

export const lessonHandlers = (tools: Pick<Tools, 'peers' | 'cleaner' | 'packages'>) =>
  ({
    createLesson: createLesson(tools),
    listLessons,
    getLesson: getLesson(tools),
    updateLesson: updateLesson(tools),
    deleteLesson,
    rebuildLessonContent: rebuildLessonContent(tools),
  }) satisfies Handlers<typeof lessons & typeof internalRebuilds, Tx>;
