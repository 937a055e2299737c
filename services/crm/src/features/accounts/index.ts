import type { accounts } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { getAccount } from './get-account.ts';
import { listAccountLeads } from './list-account-leads.ts';
import { listAccountOpportunities } from './list-account-opportunities.ts';
import { listAccounts } from './list-accounts.ts';
import { restoreAccount } from './restore-account.ts';
import { updateAccount } from './update-account.ts';

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
  }) satisfies Handlers<typeof accounts, Tx>;
