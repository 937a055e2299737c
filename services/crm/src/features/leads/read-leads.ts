import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asLead } from './lead.ts';

export const readLeads: Handler<typeof internalLeads.readLeads> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined || !body.ids.length) return [];
  const rows = await tx.lead.findMany({ where: { id: { in: body.ids }, deletedAt: null } });
  return rows.map(asLead);
};
