import { campaignCompleted, type campaigns } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { lockCampaign } from './campaign.ts';
import { complete } from './complete-campaign.job.ts';

export const completeCampaign: Handler<typeof campaigns.completeCampaign> = async (context) => {
  const { params, tx, schedule, emit, ifMatch } = context;
  const row = await lockCampaign(tx, params.id);
  ifMatch(row);
  const { campaign, event } = await complete({ tx, schedule }, row);
  emit(campaignCompleted, event);
  return campaign;
};
