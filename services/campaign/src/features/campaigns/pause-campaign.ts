import { campaignPaused, type campaigns } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { changeStatus, lockCampaign } from './campaign.ts';

/** Executions find the pause when they are due, and right before each message. */
export const pauseCampaign: Handler<typeof campaigns.pauseCampaign> = async ({ params, tx, emit, ifMatch }) => {
  const row = await lockCampaign(tx, params.id);
  ifMatch(row);
  const { campaign, event } = await changeStatus(tx, row, { from: ['active'], to: 'paused' });
  emit(campaignPaused, event);
  return campaign;
};
