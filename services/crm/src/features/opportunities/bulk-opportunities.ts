import { opportunities } from '@tandem/crm-contract';
import type { Tx } from '../../handler.ts';
import { listByCustomFields } from '../custom-fields/list-by-custom-fields.ts';
import { listedOpportunities } from './list-opportunities.ts';

/** How bulk operations select opportunities: by their ids, or by the filters of their list. */
export const ofOpportunities = {
  type: 'opportunity',
  model: (tx: Tx) => tx.opportunity,
  listed: async (filter: Parameters<typeof listedOpportunities>[0], tx: Tx) =>
    listedOpportunities(filter, (await listByCustomFields(tx, 'opportunity', filter, 'filter.')).conditions),
  readPermission: opportunities.listOpportunities.permission,
} as const;
