import type { internalTenants } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asTenant, readTenant } from './tenant.ts';

export const readTenantSettings: Handler<typeof internalTenants.readTenantSettings> = async ({ caller, tx }) => {
  // Without a tenant, the tenant guard would reject the query as an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  const { settings, name, version } = asTenant(await readTenant(tx));
  return { ...settings, name, version };
};
