import type { Handlers } from '@tandem/service';
import type { lessons } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { createLesson } from './create-lesson.ts';
import { listLessons } from './list-lessons.ts';

export const lessonHandlers = { createLesson, listLessons } satisfies Handlers<typeof lessons, Tx>;
