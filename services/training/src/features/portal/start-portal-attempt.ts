import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asAttempt } from '../attempts/attempt.ts';
import { beginAttempt } from '../attempts/begin-attempt.ts';
import { lockLearning, partnerOf } from '../progress/lock-learning.ts';

export const startPortalAttempt: Handler<typeof portalTraining.startPortalAttempt> = async (context) => {
  const { params, caller, tx, emit, schedule, wasThere } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: partnerOf(caller) }, params);
  const { attempt, isNew } = await beginAttempt({ tx, emit, schedule }, learning);
  if (!isNew) wasThere();
  return asAttempt(attempt, false);
};
