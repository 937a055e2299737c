import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asAttempt } from '../attempts/attempt.ts';
import { lockAttempt } from '../attempts/lock-attempt.ts';
import { storeAnswers } from '../attempts/store-answers.ts';
import { partnerOf } from '../progress/lock-learning.ts';

export const savePortalAttemptAnswers: Handler<typeof portalTraining.savePortalAttemptAnswers> = async (context) => {
  const { params, body, caller, tx, ifMatch } = context;
  const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: partnerOf(caller) }, params.id);
  ifMatch(attempt);
  return asAttempt(await storeAnswers(tx, learning, attempt, body.answers), false);
};
