import { operations, rebuildPage } from '@tandem/contract';
import { lessonUpdated } from './lesson.ts';

/** Parts of the cleaning of stored lessons. */
export const contentParts = ['lessons'] as const;

/** For operators: `npm run admin -- rebuild lesson-content`. */
export const internalRebuilds = operations({
  rebuildLessonContent: {
    method: 'POST',
    path: '/internal/lessons/content/rebuild',
    audience: 'internal',
    summary: 'Clean the stored content of one page of lessons, as if it were saved now',
    ...rebuildPage(contentParts),
    message: 'Content cleaned',
    emits: [lessonUpdated],
  },
});
