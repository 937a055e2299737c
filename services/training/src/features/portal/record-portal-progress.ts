import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { lockLearning, partnerOf } from '../progress/lock-learning.ts';
import { reportProgress } from '../progress/report.ts';

export const recordPortalProgress: Handler<typeof portalTraining.recordPortalProgress> = async (context) => {
  const { params, body, caller, tx, emit, schedule } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: partnerOf(caller) }, params);
  return reportProgress({ tx, emit, schedule }, learning, body);
};
