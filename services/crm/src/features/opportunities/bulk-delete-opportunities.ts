import { bulkOpportunities } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import { ofOpportunities } from './bulk-opportunities.ts';
import { removeOpportunity } from './delete-opportunity.ts';
import { lockOpportunity } from './opportunity.ts';

export const bulkDeleteOpportunities = bulkOperation({
  ...ofOpportunities,
  row: bulkOpportunities.bulkDeleteOpportunities,
  change: async ({ tx, emit, id }) => removeOpportunity({ tx, emit }, (await lockOpportunity(tx, id)).id),
});
