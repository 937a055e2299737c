import type { internalLeads } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asLead } from './lead.ts';

const leadsMax = 20;

export const findLeadsByEmail: Handler<typeof internalLeads.findLeadsByEmail> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return [];
  const found = await tx.sql<{ id: number }>`SELECT id FROM lead
    WHERE email_key = lower(${body.email}) AND deleted_at IS NULL ORDER BY id LIMIT ${leadsMax}`;
  const ids = found.map(({ id }) => id);
  // Read once more by the model, which leaves out those that the caller cannot read.
  const rows = ids.length
    ? await tx.lead.findMany({ where: { id: { in: ids }, deletedAt: null }, orderBy: { id: 'asc' } })
    : [];
  return rows.map(asLead);
};
