import type { tenants } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { lookUpTenant } from './look-up-tenant.ts';

export const getTenant: Handler<typeof tenants.getTenant> = async ({ params, caller, tx }) => {
  if (params.id !== caller.tenantId) throw fail('not_found');
  return lookUpTenant(tx);
};
