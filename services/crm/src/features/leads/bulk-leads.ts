import { leads } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import { listedLeads } from './list-leads.ts';

/** How bulk operations select leads: by their ids, or by the filters of their list. */
export const ofLeads = {
  type: 'lead',
  model: (tx: Tx) => tx.lead,
  listed: listedLeads,
  readPermission: leads.listLeads.permission,
} as const;
