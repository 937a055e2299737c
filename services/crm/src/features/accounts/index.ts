import type { accountMerges, accounts, internalExports } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { bulkAssignAccounts } from './bulk-assign-accounts.ts';
import { bulkCreateAccounts } from './bulk-create-accounts.ts';
import { bulkDeleteAccounts } from './bulk-delete-accounts.ts';
import { bulkUpdateAccounts } from './bulk-update-accounts.ts';
import { bulkUpsertAccounts } from './bulk-upsert-accounts.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { exportAccounts } from './export-accounts.ts';
import { getAccount } from './get-account.ts';
import { listAccountLeads } from './list-account-leads.ts';
import { listAccountOpportunities } from './list-account-opportunities.ts';
import { listAccounts } from './list-accounts.ts';
import { matchLeads } from './match-leads.job.ts';
import { mergeAccounts } from './merge-accounts.ts';
import { moveAccountRecords } from './move-account-records.job.ts';
import { restoreAccount } from './restore-account.ts';
import { updateAccount } from './update-account.ts';

export const accountJobs = [matchLeads, moveAccountRecords];

/** The changes of many accounts at once, each as the operation on a single account makes it. */
export const accountBulk = (peers: Peers) => ({
  bulkUpdateAccounts: bulkUpdateAccounts(peers),
  bulkAssignAccounts: bulkAssignAccounts(peers),
  bulkDeleteAccounts,
  bulkCreateAccounts: bulkCreateAccounts(peers),
  bulkUpsertAccounts: bulkUpsertAccounts(peers),
});

export const accountHandlers = (peers: Peers) =>
  ({
    createAccount: createAccount(peers),
    listAccounts,
    getAccount,
    updateAccount: updateAccount(peers),
    deleteAccount,
    restoreAccount,
    listAccountLeads,
    listAccountOpportunities,
    mergeAccounts,
    exportAccounts,
  }) satisfies Handlers<typeof accounts & typeof accountMerges & Pick<typeof internalExports, 'exportAccounts'>, Tx>;
