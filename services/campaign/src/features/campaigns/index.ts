import type { campaigns, internalCampaigns } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { activateCampaign } from './activate-campaign.ts';
import { completeCampaign } from './complete-campaign.ts';
import { createCampaign } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { duplicateCampaign } from './duplicate-campaign.ts';
import { findCampaign } from './find-campaign.ts';
import { getCampaign } from './get-campaign.ts';
import { listCampaigns } from './list-campaigns.ts';
import { pauseCampaign } from './pause-campaign.ts';
import { resumeCampaign } from './resume-campaign.ts';
import { testSendCampaign } from './test-send-campaign.ts';
import { updateCampaign } from './update-campaign.ts';

export const campaignHandlers = (tools: Tools) =>
  ({
    createCampaign: createCampaign(tools),
    listCampaigns,
    getCampaign,
    updateCampaign: updateCampaign(tools),
    deleteCampaign: deleteCampaign(tools),
    activateCampaign: activateCampaign(tools),
    pauseCampaign,
    resumeCampaign: resumeCampaign(tools),
    completeCampaign,
    duplicateCampaign: duplicateCampaign(tools),
    testSendCampaign: testSendCampaign(tools),
    findCampaign,
  }) satisfies Handlers<typeof campaigns & Pick<typeof internalCampaigns, 'findCampaign'>, Tx>;
