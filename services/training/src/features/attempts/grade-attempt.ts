import { actingUserId } from '@tandem/caller';
import { fail } from '@tandem/service';
import { attemptGraded, type attempts } from '@tandem/training-contract';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Handler, Tx } from '../../handler.ts';
import { lockEnrollment } from '../enrollments/enrollment.ts';
import { findLearning, rejectEnded } from '../progress/learning.ts';
import { isLearner } from '../progress/teacher.ts';
import { applyGrade, type Grade, storeGrade } from './apply-grade.ts';
import { asAttempt, isOfOtherType } from './attempt.ts';

export const gradeAttempt: Handler<typeof attempts.gradeAttempt> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const { attempt, enrollment } = await lockHandIn(tx, params.id);
  if (isLearner(caller, enrollment))
    throw fail('forbidden', [{ field: 'id', message: 'The attempt is your own; somebody else must grade it' }]);
  ifMatch(attempt);
  if (attempt.status !== 'submitted')
    throw fail('not_submitted', [{ field: 'id', message: `The attempt is ${attempt.status}` }]);
  // A hand-in that was in time is graded after the end too.
  if (enrollment.status !== 'expired') rejectEnded(enrollment, { butCompleted: true });
  const { score, feedback = null } = body;
  const grade: Grade = { score, feedback, gradedBy: actingUserId(caller) ?? null };
  const learning = await findLearning(tx, enrollment.id, attempt.lessonId);
  // A lesson that was deleted or got another type cannot be completed by it any more, but hand-ins get their grade.
  const graded =
    learning && !isOfOtherType(attempt, learning)
      ? await applyGrade({ tx, emit, schedule }, learning, attempt, grade)
      : await storeGrade(tx, attempt, grade);
  const { id, enrollmentId, lessonId } = graded;
  emit(attemptGraded, { data: { attemptId: id, enrollmentId, lessonId }, record: { id } });
  return asAttempt(graded, true);
};

/** Reads and locks the enrolment of an attempt, then the attempt. */
async function lockHandIn(tx: Tx, id: number) {
  const found = await tx.attempt.findFirst({ where: { id } });
  if (!found) throw fail('not_found');
  const enrollment = await lockEnrollment(tx, found.enrollmentId);
  const attempt = await tx.attempt.lockFirst({ where: { id } });
  return { attempt: attempt as AttemptRow, enrollment };
}
