import { Account, Lead, recordExports } from '@tandem/crm-contract';
import { asAccount } from '../accounts/account.ts';
import { listedAccounts } from '../accounts/list-accounts.ts';
import { ofLeads } from '../leads/bulk-leads.ts';
import { asLead } from '../leads/lead.ts';
import type { ExportTarget } from './export.ts';

export const leadExport: ExportTarget = {
  type: 'lead',
  row: recordExports.createLeadExport,
  record: Lead,
  model: (tx) => tx.lead,
  listed: (filter, { tx }) => ofLeads.listed(filter, tx),
  read: asLead,
  owners: ['assignedTo', 'createdBy'],
};

export const accountExport: ExportTarget = {
  type: 'account',
  row: recordExports.createAccountExport,
  record: Account,
  model: (tx) => tx.account,
  listed: listedAccounts,
  read: asAccount,
  owners: ['ownerId', 'createdBy'],
};
