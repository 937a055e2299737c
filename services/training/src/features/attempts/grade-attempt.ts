import { actingUserId } from '@tandem/caller';
import { fail } from '@tandem/service';
import { attemptGraded, type attempts } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { rejectEnded } from '../progress/learning.ts';
import { isLearner } from '../progress/teacher.ts';
import { applyGrade } from './apply-grade.ts';
import { asAttempt, lockAttempt } from './attempt.ts';

export const gradeAttempt: Handler<typeof attempts.gradeAttempt> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const { attempt, learning } = await lockAttempt({ tx, caller, mayLearn: () => true }, params.id);
  if (isLearner(caller, learning))
    throw fail('forbidden', [{ field: 'id', message: 'The attempt is your own; somebody else must grade it' }]);
  ifMatch(attempt);
  if (attempt.status !== 'submitted')
    throw fail('not_submitted', [{ field: 'id', message: `The attempt is ${attempt.status}` }]);
  rejectEnded(learning, { butCompleted: true });
  const { score, feedback = null } = body;
  const gradedBy = actingUserId(caller) ?? null;
  const graded = await applyGrade({ tx, emit, schedule }, learning, attempt, { score, feedback, gradedBy });
  const { id, enrollmentId, lessonId } = graded;
  emit(attemptGraded, { data: { attemptId: id, enrollmentId, lessonId }, record: { id } });
  return asAttempt(graded, true);
};
