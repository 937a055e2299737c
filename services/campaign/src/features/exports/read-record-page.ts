import { campaigns, messages } from '@tandem/campaign-contract';
import { recordPagesHandler } from '@tandem/service';
import { listCampaigns } from '../campaigns/list-campaigns.ts';
import { listMessages } from '../messages/list-messages.ts';

/** The lists of campaign that other services export. */
export const readRecordPage = recordPagesHandler([
  { row: campaigns.listCampaigns, handler: listCampaigns },
  { row: messages.listMessages, handler: listMessages },
]);
