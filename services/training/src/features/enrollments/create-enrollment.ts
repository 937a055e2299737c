import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, fail, failField } from '@tandem/service';
import { enrollmentCreated, type enrollments } from '@tandem/training-contract';
import type { Handler, Peers } from '../../handler.ts';
import { asEnrollment, liveStatuses } from './enrollment.ts';

export const createEnrollment = ({ identity }: Peers): Handler<typeof enrollments.createEnrollment> => ({
  async check({ body, caller }) {
    const user = await orAbsent(identity.findUser({ params: { id: body.learnerId }, as: asService(caller) }));
    if (!user) throw failField('learnerId', unknownId('user'));
    if (user.status !== 'active') throw failField('learnerId', 'The user is not active; send the id of an active user');
  },
  async run({ body, tx, emit }) {
    const { courseId, learnerId } = body;
    // Locks the course to serialise enrolments of the same user, and enrolments with archiving the course.
    const [course] = await tx.sql<{ status: string; audience: string }>`
      SELECT status, audience FROM course WHERE id = ${courseId} AND deleted_at IS NULL FOR UPDATE`;
    if (!course) throw failField('courseId', unknownId('course'));
    if (course.status !== 'published')
      throw fail('not_published', [{ field: 'courseId', message: `The course is ${course.status}; publish it first` }]);
    // Learners are users; enrolments of partners are not supported.
    if (course.audience === 'partners')
      throw failField('courseId', 'The course is for partners only; send a course for users');
    if (await tx.enrollment.count({ where: { courseId, learnerId, status: { in: liveStatuses } } }))
      throw fail('already_enrolled', [{ field: 'learnerId', message: 'Is already enrolled in this course' }]);
    await tx.course.updateMany({ where: { id: courseId }, data: { enrollmentCount: { increment: 1 } } });
    const enrollment = asEnrollment(await tx.enrollment.create({ data: body }));
    emit(enrollmentCreated, { data: { enrollmentId: enrollment.id, courseId, learnerId }, record: enrollment });
    return enrollment;
  },
});
