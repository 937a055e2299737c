import type { progress } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from './lock-learning.ts';
import { reportProgress } from './report.ts';

export const recordProgress: Handler<typeof progress.recordProgress> = async (context) => {
  const { params, body, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
  return reportProgress({ tx, emit, schedule }, learning, body);
};
