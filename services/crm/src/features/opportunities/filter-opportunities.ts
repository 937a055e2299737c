import type { internalOpportunities } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const filterOpportunities: Handler<typeof internalOpportunities.filterOpportunities> = async ({
  body,
  caller,
  tx,
}) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined || !body.ids.length) return { ids: [] };
  const where = { id: { in: body.ids }, deletedAt: null };
  const rows = await tx.opportunity.findMany({ where, select: { id: true } });
  return { ids: rows.map(({ id }) => id) };
};
