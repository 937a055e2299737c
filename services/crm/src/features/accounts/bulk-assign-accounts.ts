import { bulkAccounts } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { lockAccount } from './account.ts';
import { checkOwner, ofAccounts } from './bulk-accounts.ts';
import { changeAccount } from './change-account.ts';

export const bulkAssignAccounts = (peers: Peers) =>
  bulkOperation({
    ...ofAccounts,
    row: bulkAccounts.bulkAssignAccounts,
    check: ({ body, caller }) => checkOwner(peers, body, caller),
    change: async ({ tx, emit, id, body: { ownerId, teamId }, found: owner }) =>
      changeAccount({ tx, emit }, { account: await lockAccount(tx, id), change: { ownerId, teamId }, owner }),
  });
