import { actingUserId, type Caller } from '@tandem/caller';
import { fail, reachOf } from '@tandem/service';
import type { Course as CourseRow, Enrollment as EnrollmentRow } from '../../generated/client.ts';

type LearnerOf = Pick<EnrollmentRow, 'learnerType' | 'learnerId'>;

/** Whether the caller may see answer keys, grade, and act for learners. `training:write` is not enough: every member has it. */
export function isTeacher(caller: Caller): boolean {
  return reachOf(caller, 'training:manage') === 'all';
}

/**
 * Refuses to change who passes a course that learners could take, also after it was unpublished: every member writes courses
 * and takes them, and nobody decides about their own result.
 * @param field the field of the request that decides it; undefined if none does
 * @throws 403 for a course that has been published and a caller without `training:manage`
 */
export function rejectSelfJudge(
  caller: Caller,
  course: Pick<CourseRow, 'status' | 'publishedAt'>,
  field: string | undefined,
): void {
  if (field === undefined || (course.status === 'draft' && course.publishedAt === null)) return;
  rejectMember(caller, field, 'Decides who passes a course that has been published');
}

/**
 * Refuses what only somebody with `training:manage` may decide.
 * @param reason the reason, without a full stop
 * @throws 403 naming the field
 */
export function rejectMember(caller: Caller, field: string, reason: string): void {
  if (isTeacher(caller)) return;
  throw fail('forbidden', [{ field, message: `${reason}; it needs the permission training:manage` }]);
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
