import { id, operations } from '@tandem/contract';
import { z } from 'zod';
import { Tenant, TenantDefaults } from './tenants.ts';

/** The defaults of a tenant with its name and version, which earlier releases do not send. */
const KnownTenant = TenantDefaults.extend({
  name: Tenant.shape.name.optional(),
  version: Tenant.shape.version.optional(),
});

/** The settings of a tenant, for services that need its name, or a default currency, time zone or language. */
export const internalTenants = operations({
  readTenantSettings: {
    method: 'GET',
    path: '/internal/tenants/settings',
    audience: 'internal',
    summary: 'Retrieve the settings of the tenant of the caller',
    reply: KnownTenant,
    message: 'Settings retrieved',
  },
});

/** The tenant that an address names by its slug, for public pages, whose requests have no tenant. */
export const internalTenantSlugs = operations({
  findTenantBySlug: {
    method: 'GET',
    path: '/internal/tenants/by-slug/:slug',
    audience: 'internal',
    summary: 'Find the tenant with a slug',
    params: z.object({ slug: z.string().max(80) }),
    reply: z.object({ tenantId: id('tenant') }),
    message: 'Tenant found',
  },
});

/** How long services use the settings of a tenant before they ask again. */
const settingsCacheMs = 2_000;

/** The settings of a tenant; undefined when identity did not answer and nothing is known yet. */
export type KnownSettings = z.output<typeof KnownTenant> | undefined;

/** How a service reads and caches the settings of tenants: the options of `cachedPerTenant`. */
export function tenantSettingsFrom<As>(identity: {
  readTenantSettings(input: { as: As }): Promise<z.output<typeof KnownTenant>>;
}) {
  return {
    name: 'The settings of the tenant',
    ttlMs: settingsCacheMs,
    fallback: undefined,
    read: (as: As): Promise<KnownSettings> => identity.readTenantSettings({ as }),
  };
}
