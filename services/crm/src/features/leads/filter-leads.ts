import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';

export const filterLeads: Handler<typeof internalLeads.filterLeads> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined || !body.ids.length) return { ids: [] };
  const rows = await tx.lead.findMany({ where: { id: { in: body.ids }, deletedAt: null }, select: { id: true } });
  return { ids: rows.map(({ id }) => id) };
};
