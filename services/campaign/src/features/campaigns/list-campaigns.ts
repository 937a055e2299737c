import type { campaigns } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asCampaign } from './campaign.ts';

export const listCampaigns: Handler<typeof campaigns.listCampaigns> = async ({ query, tx, list }) => {
  const { status, type, ownerId, teamId } = query;
  const page = await list({
    model: tx.campaign,
    where: {
      deletedAt: null,
      ...(status && { status }),
      ...(type && { type }),
      ...(ownerId !== undefined && { ownerId }),
      ...(teamId !== undefined && { teamId }),
    },
    searchIn: ['name', 'description'],
  });
  return { ...page, items: page.items.map(asCampaign) };
};
