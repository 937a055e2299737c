import { accountRestored, type accounts } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { checkParent, checkUnique, lockAccount, writeAccount } from './account.ts';

export const restoreAccount: Handler<typeof accounts.restoreAccount> = async ({ params, tx, emit, ifMatch }) => {
  const account = await lockAccount(tx, params.id, 'deleted');
  ifMatch(account);
  await checkUnique(tx, account, account.id);
  if (account.parentAccountId) await checkParent(tx, account.parentAccountId, account.id);
  const restored = await writeAccount(tx, account.id, { deletedAt: null });
  emit(accountRestored, { data: { accountId: account.id }, record: restored });
  return restored;
};
