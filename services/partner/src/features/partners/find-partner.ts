import type { internalPartnerLookup } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { readPartner } from './partner.ts';

export const findPartner: Handler<typeof internalPartnerLookup.findPartner> = async ({ params, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  return readPartner(tx, params.id);
};
