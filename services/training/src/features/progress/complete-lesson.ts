import type { progress } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from './lock-learning.ts';
import { completeByRule, readLessonProgress } from './report.ts';
import { mayJudge } from './teacher.ts';

export const completeLesson: Handler<typeof progress.completeLesson> = async (context) => {
  const { params, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
  await completeByRule({ tx, emit, schedule }, learning, { isOverride: mayJudge(caller, learning) });
  return readLessonProgress(tx, learning);
};
