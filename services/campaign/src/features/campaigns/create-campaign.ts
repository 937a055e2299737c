import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { campaignCreated, type campaigns } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

export const createCampaign: Handler<typeof campaigns.createCampaign> = async ({ body, caller, tx, emit }) => {
  const data = { ...body, createdBy: actingUserId(caller) ?? null, teamId: onlyTeamOf(caller) };
  const campaign = asCampaign(await tx.campaign.create({ data }));
  const { id, name, type, status } = campaign;
  emit(campaignCreated, { data: { campaignId: id, name, type, status }, record: campaign });
  return campaign;
};
