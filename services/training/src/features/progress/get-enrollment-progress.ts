import { fail } from '@tandem/service';
import type { progress } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { readProgress } from './read-progress.ts';

export const getEnrollmentProgress: Handler<typeof progress.getEnrollmentProgress> = async ({ params, tx }) => {
  const row = await tx.enrollment.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return readProgress(tx, row);
};
