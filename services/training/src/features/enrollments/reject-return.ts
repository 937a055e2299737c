import type { Caller } from '@tandem/caller';
import { type ApiError, fail } from '@tandem/service';
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
 * The error for users without `training:manage` who enrol themselves again after their enrolment expired or was withdrawn: they
 * would get access and attempts without end. A course that they have completed can be taken again.
 */
export async function ownReturnError(
  tx: Tx,
  caller: Caller,
  learner: Learner,
  to: Return,
): Promise<ApiError | undefined> {
  const { type, id } = learner;
  if (isTeacher(caller) || !isLearner(caller, { learnerType: type, learnerId: id })) return undefined;
  return returnError(tx, learner, to);
}

/** @throws 403 if users may not enrol themselves again */
export async function rejectOwnReturn(tx: Tx, caller: Caller, learner: Learner, to: Return): Promise<void> {
  const error = await ownReturnError(tx, caller, learner, to);
  if (error) throw error;
}

/**
 * Refuses that learners enrol themselves again after their enrolment expired or was withdrawn.
 * @throws 403
 */
export async function rejectReturn(tx: Tx, learner: Learner, to: Return): Promise<void> {
  const error = await returnError(tx, learner, to);
  if (error) throw error;
}

async function returnError(tx: Tx, { type, id }: Learner, { courseId, field }: Return): Promise<ApiError | undefined> {
  const last = await tx.enrollment.findFirst({
    where: { courseId, learnerType: type, learnerId: id },
    orderBy: { attemptNo: 'desc' },
  });
  const status = last && asEnrollment(last).status;
  if (status !== 'expired' && status !== 'withdrawn') return undefined;
  const message = `Your last enrolment in the course is ${status}; somebody who manages the training must enrol you again`;
  return fail('forbidden', [{ field, message }]);
}
