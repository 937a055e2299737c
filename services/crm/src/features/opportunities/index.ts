import type {
  internalExports,
  internalOpportunities,
  internalPartnerDeals,
  internalRegisteredDeals,
  opportunities,
  opportunityStages,
} from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { bulkAssignOpportunities } from './bulk-assign-opportunities.ts';
import { bulkDeleteOpportunities } from './bulk-delete-opportunities.ts';
import { bulkUpdateOpportunities } from './bulk-update-opportunities.ts';
import { convertLead } from './convert-lead.ts';
import { createOpportunity } from './create-opportunity.ts';
import { deleteOpportunity } from './delete-opportunity.ts';
import { exportOpportunities } from './export-opportunities.ts';
import { filterOpportunities } from './filter-opportunities.ts';
import { findPartnerDeals } from './find-partner-deals.ts';
import { getOpportunity } from './get-opportunity.ts';
import { getOpportunityOutcome } from './get-opportunity-outcome.ts';
import { listOpportunities } from './list-opportunities.ts';
import { listStageHistory } from './list-stage-history.ts';
import { loseOpportunity } from './lose-opportunity.ts';
import { moveOpportunity } from './move-opportunity.ts';
import { openRegisteredDeal } from './open-registered-deal.ts';
import { reopenOpportunity } from './reopen-opportunity.ts';
import { restoreOpportunity } from './restore-opportunity.ts';
import { unconvertOpportunity } from './unconvert-opportunity.ts';
import { updateOpportunity } from './update-opportunity.ts';
import { winOpportunity } from './win-opportunity.ts';

export const opportunityBulk = (peers: Peers) => ({
  bulkUpdateOpportunities: bulkUpdateOpportunities(peers),
  bulkAssignOpportunities: bulkAssignOpportunities(peers),
  bulkDeleteOpportunities,
});

export const opportunityHandlers = (peers: Peers) =>
  ({
    convertLead: convertLead(peers),
    createOpportunity: createOpportunity(peers),
    listOpportunities: listOpportunities(peers),
    getOpportunity,
    updateOpportunity: updateOpportunity(peers),
    deleteOpportunity,
    restoreOpportunity,
    moveOpportunity: moveOpportunity(peers),
    winOpportunity: winOpportunity(peers),
    loseOpportunity: loseOpportunity(peers),
    reopenOpportunity: reopenOpportunity(peers),
    getOpportunityOutcome,
    listStageHistory,
    unconvertOpportunity,
    exportOpportunities,
    filterOpportunities,
    findPartnerDeals,
    openRegisteredDeal: openRegisteredDeal(peers),
  }) satisfies Handlers<
    typeof opportunities &
      typeof opportunityStages &
      typeof internalOpportunities &
      typeof internalPartnerDeals &
      typeof internalRegisteredDeals &
      Pick<typeof internalExports, 'exportOpportunities'>,
    Tx
  >;
