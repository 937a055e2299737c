import { fail } from '@tandem/service';
import type { attempts } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { attemptFor } from './attempt.ts';

export const getAttempt: Handler<typeof attempts.getAttempt> = async ({ params, caller, tx }) => {
  const row = await tx.attempt.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return attemptFor(caller, row);
};
