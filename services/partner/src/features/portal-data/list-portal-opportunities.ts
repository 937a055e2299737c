import { DealStatus, type PortalOpportunity, type portalData } from '@tandem/partner-contract';
import { asService } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { readOwnPartner } from '../portal/own-partner.ts';
import { readDisclosure } from './disclosed.ts';

interface Found {
  items: z.output<typeof PortalOpportunity>[];
  total: number;
}

export const listPortalOpportunities = (tools: Tools): Handler<typeof portalData.listPortalOpportunities, Found> => ({
  async check({ query: { page, limit, status }, caller, tx }) {
    const { id: partnerId } = await readOwnPartner(tx, caller);
    const body = { partnerId, page, limit, ...(status && { status }) };
    const { total, deals } = await tools.peers.crm.findPartnerDeals({ body, as: asService(caller) });
    const isDisclosed = (await readDisclosure(tools, caller)) !== 'none';
    const items = deals.map(({ name, value, ...deal }) => ({
      ...deal,
      status: DealStatus.parse(deal.status),
      name: isDisclosed ? name : null,
      value: isDisclosed ? value : null,
    }));
    return { items, total };
  },
  run: ({ query: { page, limit }, found: { items, total } }) => ({
    items,
    total,
    page,
    limit,
    hasPrev: page > 1,
    hasNext: page * limit < total,
    nextCursor: null,
  }),
});
