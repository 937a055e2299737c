import { operations } from '@tandem/contract';
import { TenantSettings } from './tenants.ts';

/** What a tenant has set for itself, for services that need a currency, a time zone or a language to start from. */
export const internalTenants = operations({
  readTenantSettings: {
    method: 'GET',
    path: '/internal/tenants/settings',
    audience: 'internal',
    summary: 'The settings of the tenant that the caller works in',
    reply: TenantSettings,
    message: 'Settings read',
  },
});
