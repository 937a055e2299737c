import type { Caller } from '@tandem/caller';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { isLearner, isTeacher } from '../progress/teacher.ts';
import { asEnrollment } from './enrollment.ts';
import type { Learner } from './learners.ts';

interface Return {
  courseId: number;
  /** The field of the request that names the course or the learner. */
  field: string;
}

/**
 * Refuses that users without `training:manage` enrol themselves again after their enrolment expired or was withdrawn: it would
 * end neither the access nor the attempts at a quiz. Courses that they have completed can be taken again.
 * @throws 403
 */
export async function rejectOwnReturn(tx: Tx, caller: Caller, { type, id }: Learner, to: Return): Promise<void> {
  if (isTeacher(caller) || !isLearner(caller, { learnerType: type, learnerId: id })) return;
  await rejectReturn(tx, { type, id }, to);
}

/**
 * Refuses that learners enrol themselves again after their enrolment expired or was withdrawn.
 * @throws 403
 */
export async function rejectReturn(tx: Tx, { type, id }: Learner, { courseId, field }: Return): Promise<void> {
  const last = await tx.enrollment.findFirst({
    where: { courseId, learnerType: type, learnerId: id },
    orderBy: { attemptNo: 'desc' },
  });
  const status = last && asEnrollment(last).status;
  if (status !== 'expired' && status !== 'withdrawn') return;
  const message = `Your last enrolment in the course is ${status}; somebody who manages the training must enrol you again`;
  throw fail('forbidden', [{ field, message }]);
}
