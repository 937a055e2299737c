import { operations } from '@tandem/contract';
import { TenantSettings } from './tenants.ts';

/** The settings of a tenant, for services that need a default currency, time zone or language. */
export const internalTenants = operations({
  readTenantSettings: {
    method: 'GET',
    path: '/internal/tenants/settings',
    audience: 'internal',
    summary: 'Retrieve the settings of the tenant of the caller',
    reply: TenantSettings,
    message: 'Settings retrieved',
  },
});
