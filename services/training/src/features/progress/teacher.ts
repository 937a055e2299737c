import { actingUserId, type Caller } from '@tandem/caller';
import { reachOf } from '@tandem/service';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';

type LearnerOf = Pick<EnrollmentRow, 'learnerType' | 'learnerId'>;

/** Whether the caller may see answer keys, grade, and act for learners. `training:write` is not enough: every member has it. */
export function isTeacher(caller: Caller): boolean {
  return reachOf(caller, 'training:manage') === 'all';
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
