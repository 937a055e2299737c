import { campaignActivated, type campaigns } from '@tandem/campaign-contract';
import { reachOf } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockCampaign } from './campaign.ts';
import { launch } from './launch.ts';

export const activateCampaign =
  (tools: Pick<Tools, 'mailer'>): Handler<typeof campaigns.activateCampaign> =>
  async ({ params, caller, tx, schedule, emit, ifMatch }) => {
    const row = await lockCampaign(tx, params.id);
    ifMatch(row);
    const reach = reachOf(caller, 'leads:read');
    const { campaign, event } = await launch(tools, { tx, schedule }, row, { from: 'draft', reach });
    emit(campaignActivated, event);
    return campaign;
  };
