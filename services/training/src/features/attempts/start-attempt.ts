import type { attempts } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { learnerOrTeacher, lockLearning } from '../progress/lock-learning.ts';
import { isTeacher } from '../progress/teacher.ts';
import { asAttempt } from './attempt.ts';
import { beginAttempt } from './begin-attempt.ts';

export const startAttempt: Handler<typeof attempts.startAttempt> = async (context) => {
  const { params, caller, tx, emit, schedule, wasThere } = context;
  const learning = await lockLearning({ tx, caller, mayLearn: learnerOrTeacher(caller) }, params);
  const { attempt, isNew } = await beginAttempt({ tx, emit, schedule }, learning);
  if (!isNew) wasThere();
  return asAttempt(attempt, isTeacher(caller));
};
