import { actingUserId } from '@tandem/caller';
import { fail, transitionError } from '@tandem/service';
import { type enrollments, LearnerType } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { checkDates } from './dates.ts';
import { enroll, lockOpenCourse } from './enroll.ts';
import { asEnrollment, isLive, lockEnrollment } from './enrollment.ts';

export const restartEnrollment: Handler<typeof enrollments.restartEnrollment> = async (context) => {
  const { params, body, caller, tx, emit, schedule, ifMatch } = context;
  const dates = { dueAt: body.dueAt ?? null, expiresAt: body.expiresAt ?? null };
  const found = await tx.enrollment.findFirst({ where: { id: params.id } });
  if (!found) throw fail('not_found');
  checkDates(dates, dates);
  if (isLive(found))
    throw fail('transition_refused', [transitionError(found.status, asEnrollment(found).allowedTransitions)]);
  // The course is locked first, as by every enrolment.
  const course = await lockOpenCourse(tx, found.courseId);
  const before = await lockEnrollment(tx, params.id);
  ifMatch(before);
  if (isLive(before))
    throw fail('transition_refused', [transitionError(before.status, asEnrollment(before).allowedTransitions)]);
  const learner = { type: LearnerType.parse(before.learnerType), id: before.learnerId };
  const terms = { ...dates, source: 'manual', createdBy: actingUserId(caller) ?? null } as const;
  const [result] = await enroll({ tx, emit, schedule }, course, [learner], terms);
  if (!result || 'error' in result) throw result?.error;
  return result.enrollment;
};
