import { bulkOpportunities } from '@tandem/crm-contract';
import { bulkOperation } from '@tandem/service';
import type { Peers } from '../../handler.ts';
import { ofOpportunities } from './bulk-opportunities.ts';
import { changeOpportunity } from './change-opportunity.ts';
import { checkReferences } from './check-references.ts';
import { lockOpportunity } from './opportunity.ts';

export const bulkAssignOpportunities = (peers: Peers) =>
  bulkOperation({
    ...ofOpportunities,
    row: bulkOpportunities.bulkAssignOpportunities,
    check: async ({ body: { ownerId, teamId }, caller }) => ({
      caller,
      owner: await checkReferences(peers, { ownerId, teamId }, caller),
    }),
    change: async ({ tx, emit, id, body: { ownerId, teamId }, found: { caller, owner } }) =>
      changeOpportunity(
        { tx, emit, caller },
        { opportunity: await lockOpportunity(tx, id), fields: { ownerId, teamId }, owner },
      ),
  });
