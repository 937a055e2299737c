import { fail } from '@tandem/service';
import type { enrollments } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asEnrollment } from './enrollment.ts';

export const getEnrollment: Handler<typeof enrollments.getEnrollment> = async ({ params, tx }) => {
  const row = await tx.enrollment.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asEnrollment(row);
};
