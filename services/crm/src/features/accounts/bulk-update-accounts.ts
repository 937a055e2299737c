import { bulkAccounts } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { lockAccount } from './account.ts';
import { checkOwner, ofAccounts } from './bulk-accounts.ts';
import { changeAccount } from './change-account.ts';

export const bulkUpdateAccounts = (peers: Peers) =>
  bulkOperation({
    ...ofAccounts,
    row: bulkAccounts.bulkUpdateAccounts,
    check: ({ body, caller }) => checkOwner(peers, body.change, caller, 'change.'),
    change: async ({ tx, emit, id, body: { change }, found: owner }) =>
      changeAccount({ tx, emit }, { account: await lockAccount(tx, id), change, owner }),
  });
