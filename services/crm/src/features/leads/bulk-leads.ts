import { leads } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import { listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { listedLeads } from './list-leads.ts';

/** How bulk operations select leads: by their ids, or by the filters of their list. */
export const ofLeads = {
  type: 'lead',
  model: (tx: Tx) => tx.lead,
  listed: async (filter: Parameters<typeof listedLeads>[0], tx: Tx) =>
    listedLeads(filter, (await listByCustomFields(tx, 'lead', filter, 'filter.')).conditions),
  readPermission: leads.listLeads.permission,
} as const;
