import type { campaigns } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

export const getCampaign: Handler<typeof campaigns.getCampaign> = async ({ params, tx }) => {
  const row = await tx.campaign.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asCampaign(row);
};
