import type { internalCampaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

export const findCampaign: Handler<typeof internalCampaigns.findCampaign> = async ({ params, caller, tx }) => {
  // Without a tenant nothing can be found, and the guard would report the query as our own error.
  const row = caller.tenantId === undefined ? null : await tx.campaign.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asCampaign(row);
};
