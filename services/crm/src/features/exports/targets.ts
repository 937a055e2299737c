import { actingUserId } from '@tandem/caller';
import { me } from '@tandem/contract';
import { Account, consentChannels, Lead, Opportunity, recordExports, Task } from '@tandem/crm-contract';
import { asAccount } from '../accounts/account.ts';
import { ofAccounts } from '../accounts/bulk-accounts.ts';
import { listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { ofLeads } from '../leads/bulk-leads.ts';
import { asLead } from '../leads/lead.ts';
import { listedOpportunities } from '../opportunities/list-opportunities.ts';
import { asOpportunity } from '../opportunities/opportunity.ts';
import { listedTasks } from '../tasks/list-tasks.ts';
import { asTask } from '../tasks/task.ts';
import type { ExportTarget } from './export.ts';

const noUserId = 0;

export const leadExport: ExportTarget = {
  type: 'lead',
  row: recordExports.createLeadExport,
  record: Lead,
  // The state alone is what an import reads from a column of a consent.
  parts: { consent: { names: consentChannels, read: (consent) => (consent as { state?: string } | undefined)?.state } },
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
  listed: (filter, { tx }) => ofAccounts.listed(filter, tx),
  read: asAccount,
  owners: ['ownerId', 'createdBy'],
};

export const opportunityExport: ExportTarget = {
  type: 'opportunity',
  row: recordExports.createOpportunityExport,
  record: Opportunity,
  model: (tx) => tx.opportunity,
  listed: async (filter, { tx }) =>
    listedOpportunities(filter, (await listByCustomFields(tx, 'opportunity', filter, 'filter.')).conditions),
  read: asOpportunity,
  owners: ['ownerId', 'createdBy'],
};

export const taskExport: ExportTarget = {
  type: 'task',
  row: recordExports.createTaskExport,
  record: Task,
  model: (tx) => tx.task,
  listed({ assignedTo, mine, ...filter }, { caller }) {
    const userId = actingUserId(caller) ?? noUserId;
    const assignee = assignedTo === me ? userId : assignedTo;
    return listedTasks(
      { ...filter, ...(assignee !== undefined && { assignedTo: assignee }) },
      mine ? userId : undefined,
    );
  },
  read: asTask,
  owners: ['assignedTo', 'createdBy'],
};
