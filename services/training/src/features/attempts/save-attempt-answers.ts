import type { attempts } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher } from '../progress/lock-learning.ts';
import { isTeacher } from '../progress/teacher.ts';
import { asAttempt } from './attempt.ts';
import { lockAttempt } from './lock-attempt.ts';
import { storeAnswers } from './store-answers.ts';

export const saveAttemptAnswers: Handler<typeof attempts.saveAttemptAnswers> = async (context) => {
  const { params, body, caller, tx, ifMatch } = context;
  const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params.id);
  ifMatch(attempt);
  return asAttempt(await storeAnswers(tx, learning, attempt, body.answers), isTeacher(caller));
};
