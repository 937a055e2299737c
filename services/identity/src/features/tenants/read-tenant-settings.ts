import type { internalTenants } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTenant, readTenant } from './tenant.ts';

export const readTenantSettings: Handler<typeof internalTenants.readTenantSettings> = async ({ caller, tx }) => {
  // Without a tenant there are no settings; the guard would call that a fault of ours.
  if (caller.tenantId === undefined) throw fail('not_found');
  return asTenant(await readTenant(tx)).settings;
};
