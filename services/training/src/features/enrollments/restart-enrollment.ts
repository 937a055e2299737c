import { actingUserId } from '@tandem/caller';
import { fail, failField, transitionError } from '@tandem/service';
import { type enrollments, LearnerType } from '@tandem/training-contract';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { checkDates } from './dates.ts';
import { enroll, lockOpenCourse } from './enroll.ts';
import { asEnrollment, isLive, lockEnrollment } from './enrollment.ts';
import { findLearners, type Learner } from './learners.ts';

export const restartEnrollment = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof enrollments.restartEnrollment, EnrollmentRow> => ({
  async check({ params, caller, tx }) {
    const row = await tx.enrollment.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    rejectLive(row);
    // The learner may have left since the enrolment ended.
    const learner = learnerIn(row);
    const { problem } = (await findLearners(peers, caller, [learner]))(learner);
    if (problem) throw failField('learnerId', problem);
    return row;
  },
  async run({ params, body, caller, tx, emit, schedule, ifMatch, found }) {
    const dates = { dueAt: body.dueAt ?? null, expiresAt: body.expiresAt ?? null };
    checkDates(dates, dates);
    // The course is locked first, as by every enrolment.
    const course = await lockOpenCourse(tx, found.courseId);
    const before = await lockEnrollment(tx, params.id);
    ifMatch(before);
    rejectLive(before);
    const terms = { ...dates, source: 'manual', createdBy: actingUserId(caller) ?? null } as const;
    const [result] = await enroll({ tx, emit, schedule }, course, [learnerIn(before)], terms);
    if (!result || 'error' in result) throw result?.error;
    return result.enrollment;
  },
});

function rejectLive(row: EnrollmentRow): void {
  if (isLive(row))
    throw fail('transition_refused', [transitionError(row.status, asEnrollment(row).allowedTransitions)]);
}

function learnerIn({ learnerType, learnerId }: EnrollmentRow): Learner {
  return { type: LearnerType.parse(learnerType), id: learnerId };
}
