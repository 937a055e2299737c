import { bulkAccounts } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { lockAccount } from './account.ts';
import { ofAccounts } from './bulk-accounts.ts';
import { removeAccount } from './delete-account.ts';

export const bulkDeleteAccounts = bulkOperation({
  ...ofAccounts,
  row: bulkAccounts.bulkDeleteAccounts,
  change: async ({ tx, emit, id }) => removeAccount({ tx, emit }, (await lockAccount(tx, id)).id),
});
