import { bulkLeads } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { ofLeads } from './bulk-leads.ts';
import { removeLead } from './delete-lead.ts';
import { lockLead } from './lead.ts';

export const bulkDeleteLeads = bulkOperation({
  ...ofLeads,
  row: bulkLeads.bulkDeleteLeads,
  change: async ({ tx, emit, id }) => removeLead({ tx, emit }, (await lockLead(tx, id)).id),
});
