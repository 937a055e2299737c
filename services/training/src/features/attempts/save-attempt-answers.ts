import type { attempts } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, rejectEnded } from '../progress/learning.ts';
import { asAttempt, drawnOf, lockAttempt, seesKeys } from './attempt.ts';
import { checkAnswers } from './check-answers.ts';
import { rejectClosed, rejectPackage } from './hand-in.ts';

export const saveAttemptAnswers: Handler<typeof attempts.saveAttemptAnswers> = async (context) => {
  const { params, body, caller, tx, ifMatch } = context;
  const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params.id);
  ifMatch(attempt);
  rejectPackage(learning);
  rejectClosed(attempt);
  rejectEnded(learning, { butCompleted: true });
  checkAnswers(drawnOf(attempt).questions, body.answers);
  const [row] = await tx.attempt.updateManyAndReturn({
    where: { id: attempt.id },
    data: { answers: body.answers as object[] as never, version: { increment: 1 } },
  });
  return asAttempt(row as AttemptRow, seesKeys(caller));
};
