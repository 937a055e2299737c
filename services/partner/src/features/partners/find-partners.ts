import type { internalPartnerLookup } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { asPartner } from './partner.ts';

export const findPartners: Handler<typeof internalPartnerLookup.findPartners> = async ({ body, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) return [];
  const rows = await tx.partner.findMany({ where: { id: { in: body.ids } }, orderBy: { id: 'asc' } });
  return rows.map(asPartner);
};
