import type { campaigns } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asCampaign, findCampaignRow } from './campaign.ts';

export const getCampaign: Handler<typeof campaigns.getCampaign> = async ({ params, tx }) =>
  asCampaign(await findCampaignRow(tx, params.id));
