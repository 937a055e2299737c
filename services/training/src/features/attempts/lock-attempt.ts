import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Attempt as AttemptRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import type { Learning } from '../progress/learning.ts';
import { lockLearning, type MayLearn } from '../progress/lock-learning.ts';

/** Reads an attempt, and locks its enrolment with the lesson. */
export async function lockAttempt(
  context: { tx: Tx; caller: Caller; mayLearn: MayLearn },
  attemptId: number,
): Promise<{ attempt: AttemptRow; learning: Learning }> {
  const { tx } = context;
  const found = await tx.attempt.findFirst({ where: { id: attemptId } });
  if (!found) throw fail('not_found');
  const { enrollmentId: id, lessonId } = found;
  const learning = await lockLearning(context, { id, lessonId }, () =>
    fail('attempt_ended', [{ field: 'id', message: 'The lesson was deleted' }]),
  );
  // It may have been submitted while this request waited for the lock.
  const attempt = await tx.attempt.lockFirst({ where: { id: attemptId } });
  if (!attempt) throw fail('not_found');
  return { attempt, learning };
}
