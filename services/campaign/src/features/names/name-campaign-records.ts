import { namesHandler } from '@tandem/service';
import type { Tx } from '../../handler.ts';

// Workflows and pages have long content.
const select = { id: true, name: true } as const;

/** Reads names under the permission that retrieving the record needs. */
export const nameCampaignRecords = namesHandler<Tx, 'campaign' | 'workflow' | 'landing_page'>({
  campaign: {
    permission: 'campaigns:read',
    narrows: true,
    find: (tx, ids) => tx.campaign.findMany({ where: { id: { in: ids }, deletedAt: null }, select }),
  },
  workflow: {
    permission: 'workflows:read',
    narrows: true,
    find: (tx, ids) => tx.workflow.findMany({ where: { id: { in: ids }, deletedAt: null }, select }),
  },
  landing_page: {
    permission: 'campaigns:read',
    narrows: true,
    find: (tx, ids) => tx.landingPage.findMany({ where: { id: { in: ids } }, select }),
  },
});
