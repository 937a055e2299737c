import type { Handlers } from '@tandem/service';
import type { progress } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { completeLesson } from './complete-lesson.ts';
import { getEnrollmentProgress } from './get-enrollment-progress.ts';
import { recordProgress } from './record-progress.ts';

export const progressHandlers = { getEnrollmentProgress, recordProgress, completeLesson } satisfies Handlers<
  typeof progress,
  Tx
>;
