import type { progress } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from './lock-learning.ts';
import { readLessonProgress, reportProgress } from './report.ts';

export const recordProgress: Handler<typeof progress.recordProgress> = async (context) => {
  const { params, body, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
  await reportProgress({ tx, emit, schedule }, learning, body);
  return readLessonProgress(tx, learning);
};
