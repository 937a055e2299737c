import { unknownId } from '@tandem/contract';
import { failField } from '@tandem/service';
import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { enroll, lockOpenCourse } from '../enrollments/enroll.ts';
import { findLearners } from '../enrollments/learners.ts';
import { rejectReturn } from '../enrollments/reject-return.ts';
import { offered, ofPartner } from './partner.ts';

export const createPortalEnrollment = ({
  peers,
}: Pick<Tools, 'peers'>): Handler<typeof portalTraining.createPortalEnrollment> => ({
  async check({ body, caller, tx }) {
    const learner = { type: 'partner', id: ofPartner(caller).learnerId } as const;
    // A course that the portal does not offer is unknown there.
    if (!(await tx.course.count({ where: { ...offered, id: body.courseId } })))
      throw failField('courseId', unknownId('course'));
    const found = (await findLearners(peers, caller, [learner]))(learner);
    if (found.problem) throw failField('courseId', found.problem);
  },
  async run({ body, caller, tx, emit, schedule }) {
    const learner = { type: 'partner', id: ofPartner(caller).learnerId } as const;
    const course = await lockOpenCourse(tx, body.courseId);
    await rejectReturn(tx, learner, { courseId: course.id, field: 'courseId' });
    const terms = { dueAt: null, expiresAt: null, source: 'self', createdBy: null } as const;
    const [result] = await enroll({ tx, emit, schedule }, course, [learner], terms);
    if (!result || 'error' in result) throw result?.error;
    return result.enrollment;
  },
});
