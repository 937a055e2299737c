import type { internalExports, opportunities } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { convertLead } from './convert-lead.ts';
import { exportOpportunities } from './export-opportunities.ts';
import { getOpportunity } from './get-opportunity.ts';
import { listOpportunities } from './list-opportunities.ts';
import { loseOpportunity } from './lose-opportunity.ts';
import { winOpportunity } from './win-opportunity.ts';

export const opportunityHandlers = (peers: Peers) =>
  ({
    convertLead: convertLead(peers),
    listOpportunities,
    getOpportunity,
    winOpportunity,
    loseOpportunity,
    exportOpportunities,
  }) satisfies Handlers<typeof opportunities & Pick<typeof internalExports, 'exportOpportunities'>, Tx>;
