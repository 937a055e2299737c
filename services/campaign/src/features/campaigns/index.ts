import type { campaigns, internalCampaigns } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createCampaign } from './create-campaign.ts';
import { findCampaign } from './find-campaign.ts';
import { getCampaign } from './get-campaign.ts';
import { listCampaigns } from './list-campaigns.ts';

export const campaignHandlers = (tools: Pick<Tools, 'identity'>) =>
  ({ createCampaign: createCampaign(tools), listCampaigns, getCampaign, findCampaign }) satisfies Handlers<
    typeof campaigns & Pick<typeof internalCampaigns, 'findCampaign'>,
    Tx
  >;
