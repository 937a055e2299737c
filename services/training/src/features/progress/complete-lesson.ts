import { allows } from '@tandem/contract';
import type { progress } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from './learning.ts';
import { completeByRule, readLessonProgress } from './report.ts';

export const completeLesson: Handler<typeof progress.completeLesson> = async (context) => {
  const { params, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
  const isTeacher = allows(caller.permissions, 'training:write') === 'all';
  await completeByRule({ tx, emit, schedule }, learning, { isTeacher });
  return readLessonProgress(tx, learning);
};
