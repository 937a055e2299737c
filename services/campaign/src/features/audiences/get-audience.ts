import type { audiences } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readParts } from './audience.ts';

export const getAudience: Handler<typeof audiences.getAudience> = async ({ params, tx }) => {
  const campaign = await tx.campaign.findFirst({ where: { id: params.id } });
  if (!campaign) throw fail('not_found');
  return { campaignId: campaign.id, ...(await readParts(tx, campaign.id)), version: campaign.version };
};
