import type { sequences } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { findCampaignRow } from '../campaigns/campaign.ts';
import { pageOfWorkflows } from '../workflows/list-workflows.ts';

export const listSequences: Handler<typeof sequences.listSequences> = async ({ params, query, tx, list }) => {
  const campaign = await findCampaignRow(tx, params.id);
  return pageOfWorkflows({ tx, list }, { ...query, campaignId: campaign.id });
};
