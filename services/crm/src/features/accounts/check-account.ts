import { unknownId } from '@tandem/contract';
import { failField, type Under } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/** Fails with a field error unless the caller can read the account. */
export async function checkAccount(
  { under, tx }: { under: Under; tx: Tx },
  id: number | null | undefined,
  field = 'accountId',
): Promise<void> {
  if (id === null || id === undefined) return;
  const where = { id, deletedAt: null };
  if (!(await under('accounts:read', () => tx.account.count({ where })))) throw failField(field, unknownId('account'));
}
