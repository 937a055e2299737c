import type { audiences } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { findCampaignRow } from '../campaigns/campaign.ts';
import { readParts } from './audience.ts';

export const getAudience: Handler<typeof audiences.getAudience> = async ({ params, tx }) => {
  const campaign = await findCampaignRow(tx, params.id);
  return { campaignId: campaign.id, ...(await readParts(tx, campaign.id)), version: campaign.version };
};
