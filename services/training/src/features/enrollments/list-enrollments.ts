import type { enrollments } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asEnrollment } from './enrollment.ts';

export const listEnrollments: Handler<typeof enrollments.listEnrollments> = async ({ query, tx, list }) => {
  const { courseId, learnerId, status } = query;
  const page = await list({
    model: tx.enrollment,
    where: {
      ...(courseId !== undefined && { courseId }),
      ...(learnerId !== undefined && { learnerId }),
      ...(status && { status }),
    },
  });
  return { ...page, items: page.items.map(asEnrollment) };
};
