import { campaignUpdated, landingPageUpdated, workflowUpdated } from '@tandem/campaign-contract';
import { ownedRecords } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asCampaign } from '../campaigns/campaign.ts';
import { asLandingPage } from '../landing-pages/landing-page.ts';
import { asWorkflow } from '../workflows/workflow.ts';

/** Which records of campaign belong to whom, by kind of work. */
export const campaignRecords = {
  campaigns: ownedRecords({
    model: (tx: Tx) => tx.campaign,
    owner: 'ownerId',
    open: { status: { not: 'completed' } },
    updated: ({ emit, row, values, changes }) =>
      emit(campaignUpdated, {
        data: { campaignId: row.id, fields: Object.keys(values) },
        record: asCampaign(row),
        changes,
      }),
  }),
  workflows: ownedRecords({
    model: (tx: Tx) => tx.workflow,
    owner: 'ownerId',
    open: { status: { not: 'archived' } },
    updated: ({ emit, row, values, changes }) =>
      emit(workflowUpdated, {
        data: { workflowId: row.id, fields: Object.keys(values) },
        record: asWorkflow(row),
        changes,
      }),
  }),
  landingPages: ownedRecords({
    model: (tx: Tx) => tx.landingPage,
    owner: 'ownerId',
    open: { status: { not: 'archived' } },
    updated: ({ emit, row, values, changes }) =>
      emit(landingPageUpdated, {
        data: { landingPageId: row.id, fields: Object.keys(values) },
        record: asLandingPage(row),
        changes,
      }),
  }),
};
