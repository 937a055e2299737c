import type { enrollments } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asEnrollment, liveStatuses } from './enrollment.ts';
import { learnerOf } from './learners.ts';

export const listEnrollments: Handler<typeof enrollments.listEnrollments> = async ({ query, tx, list }) => {
  const { courseId, learnerId, learnerType, status, overdue } = query;
  const learner = learnerId === undefined ? undefined : learnerOf(learnerId);
  const page = await list({
    model: tx.enrollment,
    where: {
      ...(courseId !== undefined && { courseId }),
      ...(learner && { learnerType: learner.type, learnerId: learner.id }),
      ...(status && { status }),
    },
    and: [
      // Beside the type of the learner, of whom there may be another one.
      learnerType ? { learnerType } : {},
      ...(overdue === undefined ? [] : [overdueIs(overdue)]),
    ],
    nullable: ['dueAt'],
  });
  return { ...page, items: page.items.map(asEnrollment) };
};

function overdueIs(overdue: boolean): Record<string, unknown> {
  const isOverdue = { status: { in: liveStatuses }, dueAt: { lt: new Date() } };
  return overdue ? isOverdue : { OR: [{ NOT: isOverdue }, { dueAt: null }] };
}
