import { actingUserId } from '@tandem/caller';
import { failField } from '@tandem/service';
import type { enrollments } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { checkDates } from './dates.ts';
import { enroll, lockOpenCourse } from './enroll.ts';
import { findLearners, learnerOf } from './learners.ts';
import { rejectOwnReturn } from './reject-return.ts';

export const createEnrollment = ({ peers }: Pick<Tools, 'peers'>): Handler<typeof enrollments.createEnrollment> => ({
  async check({ body, caller }) {
    const learner = learnerOf(body.learnerId);
    if (body.learnerType && body.learnerType !== learner.type)
      throw failField('learnerId', `Is the id of a ${learner.type}; send the id of a ${body.learnerType}`);
    const found = (await findLearners(peers, caller, [learner]))(learner);
    if (found.problem) throw failField('learnerId', found.problem);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const dates = { dueAt: body.dueAt ?? null, expiresAt: body.expiresAt ?? null };
    checkDates(dates, dates);
    const course = await lockOpenCourse(tx, body.courseId);
    const learner = learnerOf(body.learnerId);
    await rejectOwnReturn(tx, caller, learner, { courseId: course.id, field: 'learnerId' });
    const terms = { ...dates, source: 'manual', createdBy: actingUserId(caller) ?? null } as const;
    const [result] = await enroll({ tx, emit, schedule }, course, [learner], terms);
    if (!result || 'error' in result) throw result?.error;
    return result.enrollment;
  },
});
