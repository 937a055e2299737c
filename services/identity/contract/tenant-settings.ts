import { operations } from '@tandem/contract';
import type { z } from 'zod';
import { TenantDefaults } from './tenants.ts';

/** The settings of a tenant, for services that need a default currency, time zone or language. */
export const internalTenants = operations({
  readTenantSettings: {
    method: 'GET',
    path: '/internal/tenants/settings',
    audience: 'internal',
    summary: 'Retrieve the settings of the tenant of the caller',
    reply: TenantDefaults,
    message: 'Settings retrieved',
  },
});

/** How long services use the settings of a tenant before they ask again. */
const settingsCacheMs = 2_000;

/** The settings of a tenant; undefined when identity did not answer and nothing is known yet. */
export type KnownSettings = z.output<typeof TenantDefaults> | undefined;

/** How a service reads and caches the settings of tenants: the options of `cachedPerTenant`. */
export function tenantSettingsFrom<As>(identity: {
  readTenantSettings(input: { as: As }): Promise<z.output<typeof TenantDefaults>>;
}) {
  return {
    name: 'The settings of the tenant',
    ttlMs: settingsCacheMs,
    fallback: undefined,
    read: (as: As): Promise<KnownSettings> => identity.readTenantSettings({ as }),
  };
}
