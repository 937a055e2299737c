import type { internalPartnerDeals } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asOpportunity } from './opportunity.ts';

export const findPartnerDeals: Handler<typeof internalPartnerDeals.findPartnerDeals> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return { total: 0, deals: [] };
  const { partnerId, status, page, limit } = body;
  const where = { partnerId, deletedAt: null, ...(status && { status }) };
  const [total, rows] = await Promise.all([
    tx.opportunity.count({ where }),
    tx.opportunity.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      skip: (page - 1) * limit,
      take: limit,
    }),
  ]);
  return { total, deals: rows.map(asOpportunity) };
};
