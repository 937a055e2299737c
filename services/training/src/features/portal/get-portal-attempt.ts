import { fail } from '@tandem/service';
import type { portalTraining } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { asAttempt } from '../attempts/attempt.ts';
import { readOwnEnrollment } from './partner.ts';

export const getPortalAttempt: Handler<typeof portalTraining.getPortalAttempt> = async ({ params, caller, tx }) => {
  const row = await tx.attempt.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  await readOwnEnrollment(tx, row.enrollmentId, caller);
  return asAttempt(row, false);
};
