import { actingUserId, type Caller } from '@tandem/caller';
import { fail, reachOf } from '@tandem/service';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';

type LearnerOf = Pick<EnrollmentRow, 'learnerType' | 'learnerId'>;

/** Whether the caller may see answer keys, grade, and act for learners. `training:write` is not enough: every member has it. */
export function isTeacher(caller: Caller): boolean {
  return reachOf(caller, 'training:manage') === 'all';
}

/**
 * Refuses to change who passes a course that learners may take: every member writes courses and takes them, and nobody decides
 * about their own result.
 * @param field the field of the request that decides it; undefined if none does
 * @throws 403 for a course that is not a draft and a caller without `training:manage`
 */
export function rejectSelfJudge(caller: Caller, { status }: { status: string }, field: string | undefined): void {
  if (field === undefined || status === 'draft' || isTeacher(caller)) return;
  const message = `Decides who passes a ${status} course; changing it needs the permission training:manage`;
  throw fail('forbidden', [{ field, message }]);
}

/**
 * Refuses to change the dates of the caller's own enrolment: every member writes enrolments and takes courses.
 * @param field the field of the request that changes a date
 * @throws 403 for a learner without `training:manage`
 */
export function rejectOwnDates(caller: Caller, enrollment: LearnerOf, field: string): void {
  if (!isLearner(caller, enrollment) || isTeacher(caller)) return;
  const message =
    'Changing the dates of your own enrolment needs the permission training:manage; ask somebody who has it';
  throw fail('forbidden', [{ field, message }]);
}

/** Whether the caller writes courses, and so reads lessons without an enrolment. */
export function isAuthor(caller: Caller): boolean {
  return reachOf(caller, 'training:write') === 'all';
}

/** Whether the call is made by, or on behalf of, the learner of an enrolment. */
export function isLearner(caller: Caller, { learnerType, learnerId }: LearnerOf): boolean {
  return learnerType === 'user' && learnerId === actingUserId(caller);
}

/** Whether the caller may decide about the results of an enrolment: nobody decides about their own. */
export function mayJudge(caller: Caller, enrollment: LearnerOf): boolean {
  return isTeacher(caller) && !isLearner(caller, enrollment);
}
