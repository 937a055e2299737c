import { type FieldError, unknownId } from '@tandem/contract';
import { fail, type Under } from '@tandem/service';
import type { Tx } from '../../handler.ts';

interface Inside {
  under: Under;
  tx: Tx;
}

/** The error of an account that does not exist, or that the caller cannot read. */
export async function accountErrors(
  { under, tx }: Inside,
  id: number | null | undefined,
  field = 'accountId',
): Promise<FieldError[]> {
  if (id === null || id === undefined) return [];
  const where = { id, deletedAt: null };
  const isFound = await under('accounts:read', () => tx.account.count({ where }));
  return isFound ? [] : [{ field, message: unknownId('account') }];
}

/** Fails with this error. */
export async function checkAccount(inside: Inside, id: number | null | undefined, field = 'accountId'): Promise<void> {
  const errors = await accountErrors(inside, id, field);
  if (errors.length) throw fail('validation_failed', errors);
}
