import type { Caller } from '@tandem/caller';
import { addonSettings, type internalEntitlements, metaOfSetting } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { type Config, openConfig } from './config.ts';
import { activeAddons, effectiveFeatures } from './effective-features.ts';
import { readInstalledRows } from './installation.ts';

export const readEntitlements =
  ({ seal }: Tools): Handler<typeof internalEntitlements.readEntitlements> =>
  async ({ query, caller, tx }) => {
    // Without a tenant, the tenant guard would reject the query as an internal error.
    if (caller.tenantId === undefined) throw fail('not_found');
    const tenant = await readTenant(tx);
    const { plan } = limitsOf(tenant);
    const active = activeAddons(await readInstalledRows(tx), plan);
    return {
      plan,
      features: await effectiveFeatures(tx, tenant),
      addons: active.map(({ row, addon }) => ({
        addonId: addon.id,
        key: addon.key,
        version: row.version,
        config: readable(addon, openConfig(seal, row), query.secretsOf === addon.key ? caller : undefined),
      })),
    };
  };

/** The settings that a service may read: the secret ones only if it obeys them, and asks for them. */
function readable({ key }: CatalogueEntry, config: Config, asking: Caller | undefined): Config {
  const shape: Record<string, z.ZodType> = addonSettings[key].shape;
  return Object.fromEntries(
    Object.entries(config).filter(([name]) => {
      const schema = shape[name];
      if (!schema) return false;
      const { isSecret, readers } = metaOfSetting(schema);
      return !isSecret || readers.includes(asking?.name ?? '');
    }),
  );
}
