import { actingUserId } from '@tandem/caller';
import { fail, transitionError } from '@tandem/service';
import { type enrollments, LearnerType } from '@tandem/training-contract';
import type { Enrollment as EnrollmentRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { checkDates } from './dates.ts';
import { enroll, lockOpenCourse } from './enroll.ts';
import { asEnrollment, isLive, lockEnrollment } from './enrollment.ts';
import { type Learner, rejectLeft } from './learners.ts';
import { rejectOwnReturn } from './reject-return.ts';

export const restartEnrollment = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof enrollments.restartEnrollment, EnrollmentRow> => ({
  async check({ params, caller, tx }) {
    const row = await tx.enrollment.findFirst({ where: { id: params.id } });
    if (!row) throw fail('not_found');
    rejectLive(row);
    await rejectLeft(peers, caller, row);
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
    await rejectOwnReturn(tx, caller, learnerIn(before), { courseId: course.id, field: 'id' });
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
