import { accountRestored, type accounts } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { claimAgain } from '../custom-fields/write-values.ts';
import { checkParent, checkUnique, lockAccount, writeAccount } from './account.ts';

export const restoreAccount: Handler<typeof accounts.restoreAccount> = async ({ params, tx, emit, ifMatch }) => {
  const account = await lockAccount(tx, params.id, 'deleted');
  ifMatch(account);
  // Its records belong to the account that it was merged into.
  if (await tx.account.count({ where: { id: account.id, mergedIntoId: { not: null } } })) throw fail('already_merged');
  await checkUnique(tx, account, account.id);
  if (account.parentAccountId) await checkParent(tx, account.parentAccountId, account.id);
  await claimAgain(tx, 'account', account);
  const restored = await writeAccount(tx, account.id, { deletedAt: null });
  emit(accountRestored, { data: { accountId: account.id }, record: restored });
  return restored;
};
