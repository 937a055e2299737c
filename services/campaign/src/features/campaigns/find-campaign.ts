import type { internalCampaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

export const findCampaign: Handler<typeof internalCampaigns.findCampaign> = async ({ params, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  const row = caller.tenantId === undefined ? null : await tx.campaign.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asCampaign(row);
};
