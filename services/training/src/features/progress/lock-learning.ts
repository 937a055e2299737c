import type { Caller } from '@tandem/caller';
import { allows } from '@tandem/contract';
import { type ApiError, fail } from '@tandem/service';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type Learning, learningOf, lockRow } from './learning.ts';
import { isLearner, isTeacher } from './teacher.ts';

/** Whether the caller may act for the learner of an enrolment. */
export type MayLearn = (enrollment: Pick<EnrollmentRow, 'learnerType' | 'learnerId'>) => boolean;

/** The learner themselves, or a teacher. */
export function learnerOrTeacher(caller: Caller): MayLearn {
  return (enrollment) => isTeacher(caller) || isLearner(caller, enrollment);
}

/** The partner of a portal session. */
export function partnerOf({ partnerId }: Caller): MayLearn {
  return ({ learnerType, learnerId }) => learnerType === 'partner' && learnerId === partnerId;
}

/** Whether the caller can see enrolments of others: they get 403 for what only the learner may do, others 404. */
function rejectStranger(caller: Caller): never {
  throw fail(allows(caller.permissions, 'training:read') === 'all' ? 'forbidden' : 'not_found');
}

/**
 * Reads and locks an enrolment with one lesson.
 * @param lessonIsGone the error for a lesson that was deleted or is unknown
 * @throws 403 or 404 if the caller may not act for the learner, or the error of `lessonIsGone`
 */
export async function lockLearning(
  { tx, caller, mayLearn }: { tx: Tx; caller: Caller; mayLearn: MayLearn },
  { id, lessonId }: { id: number; lessonId: number },
  lessonIsGone: () => ApiError = () => fail('not_found'),
): Promise<Learning> {
  const row = await lockRow(tx, id, lessonId);
  if (!row) throw fail('not_found');
  if (!mayLearn(row)) rejectStranger(caller);
  if (row.lessonId === null) throw lessonIsGone();
  return learningOf(row, row.lessonId);
}
