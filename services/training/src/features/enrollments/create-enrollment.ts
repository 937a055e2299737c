import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, fail, failField } from '@tandem/service';
import { enrollmentCreated, type enrollments } from '@tandem/training-contract';
import type { Handler, Peers } from '../../handler.ts';
import { asEnrollment, live } from './enrollment.ts';

export const createEnrollment = ({ identity }: Peers): Handler<typeof enrollments.createEnrollment> => ({
  async check({ body, caller }) {
    const user = await orAbsent(identity.findUser({ params: { id: body.learnerId }, as: asService(caller) }));
    if (!user) throw failField('learnerId', unknownId('user'));
    if (user.status !== 'active') throw failField('learnerId', 'The user is not active');
  },
  async run({ body, tx, emit }) {
    const { courseId, learnerId } = body;
    // The lock on the course orders two enrolments of one person, and an enrolment and the archiving of the course.
    const [course] = await tx.sql<{ status: string; audience: string }>`
      SELECT status, audience FROM course WHERE id = ${courseId} FOR UPDATE`;
    if (!course) throw failField('courseId', unknownId('course'));
    if (course.status !== 'published')
      throw fail('not_published', [{ field: 'courseId', message: 'Publish it first' }]);
    // Learners are users; enrolments of partners come with the portal's training.
    if (course.audience === 'partners') throw failField('courseId', 'The course is for partners only');
    if (await tx.enrollment.count({ where: { courseId, learnerId, status: { in: live } } }))
      throw fail('already_enrolled');
    const enrollment = asEnrollment(await tx.enrollment.create({ data: body }));
    emit(enrollmentCreated, { data: { enrollmentId: enrollment.id, courseId, learnerId }, record: enrollment });
    return enrollment;
  },
});
