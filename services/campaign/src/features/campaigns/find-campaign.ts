import type { internalCampaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCampaign, findCampaignRow } from './campaign.ts';

export const findCampaign: Handler<typeof internalCampaigns.findCampaign> = async ({ params, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  return asCampaign(await findCampaignRow(tx, params.id));
};
