import type { partners } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPartner } from './partner.ts';

export const listPartners: Handler<typeof partners.listPartners> = async ({ query, tx, list }) => {
  const { status, tier, parentPartnerId, planId, joinedFrom, joinedTo } = query;
  const page = await list({
    model: tx.partner,
    where: {
      ...(status && { status }),
      ...(tier && { tier }),
      ...(parentPartnerId !== undefined && { parentPartnerId }),
      ...(planId !== undefined && { planId }),
    },
    and: [
      ...(joinedFrom ? [{ approvedAt: { gte: joinedFrom } }] : []),
      ...(joinedTo ? [{ approvedAt: { lte: joinedTo } }] : []),
    ],
    searchIn: ['email', 'firstName', 'lastName', 'company'],
  });
  return { ...page, items: page.items.map(asPartner) };
};
