import { Lead, recordExports } from '@tandem/crm-contract';
import { asLead } from '../leads/lead.ts';
import { listedLeads } from '../leads/list-leads.ts';
import type { ExportTarget } from './export.ts';

export const leadExport: ExportTarget = {
  type: 'lead',
  row: recordExports.createLeadExport,
  record: Lead,
  model: (tx) => tx.lead,
  listed: listedLeads,
  read: asLead,
  owners: ['assignedTo', 'createdBy'],
};
