import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import type { LeadRecord } from './lead.ts';

export const findLeads: Handler<typeof internalLeads.findLeads> = async ({ body, caller, tx }) => {
  // Without a tenant there is nobody to find; the guard would call that a fault of ours.
  if (caller.tenantId === undefined || !body.ids.length) return [];
  const rows = await tx.lead.findMany({ where: { id: { in: body.ids }, deletedAt: null } });
  return rows as unknown as LeadRecord[];
};
