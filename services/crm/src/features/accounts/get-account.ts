import type { accounts } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asAccount } from './account.ts';

export const getAccount: Handler<typeof accounts.getAccount> = async ({ params, tx }) => {
  const row = await tx.account.findFirst({ where: { id: params.id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return asAccount(row);
};
