import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockLearning, partnerOf } from '../progress/lock-learning.ts';
import { completeByRule, readLessonProgress } from '../progress/report.ts';

export const completePortalLesson: Handler<typeof portalTraining.completePortalLesson> = async (context) => {
  const { params, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: partnerOf(caller) }, params);
  await completeByRule({ tx, emit, schedule }, learning, { isOverride: false });
  return readLessonProgress(tx, learning);
};
