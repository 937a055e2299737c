import type { campaignResults } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getCampaignStats } from './get-campaign-stats.ts';
import { listRecipients } from './list-recipients.ts';

export const campaignResultHandlers = { getCampaignStats, listRecipients } satisfies Handlers<
  typeof campaignResults,
  Tx
>;
