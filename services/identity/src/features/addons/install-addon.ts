import { actingUserId } from '@tandem/caller';
import { type Plan, planCodes } from '@tandem/contract';
import { addonInstalled, type addons } from '@tandem/identity-contract';
import { fail, failField, toJsonColumn } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import { asInstalled, defaultAddonConfig, readAddon, readAddonConfig } from './addon.ts';

export const installAddon: Handler<typeof addons.installAddon> = async ({ params, body, caller, tx, emit }) => {
  const addon = readAddon(params.addonId);
  const version = body.version ?? addon.version;
  if (!addon.versions.includes(version)) throw failField('version', `Must be one of ${addon.versions.join(', ')}`);
  const config = body.config ? readAddonConfig(addon.id, body.config) : defaultAddonConfig(addon.id);
  const { plan } = limitsOf(await readTenant(tx));
  checkPlan(plan, addon.requiresPlan);
  const row = await tx.installedAddon
    .create({
      data: { addonId: addon.id, version, config: toJsonColumn(config), createdBy: actingUserId(caller) ?? null },
    })
    .catch((error: unknown) => {
      throw isTaken(error) ? fail('already_installed') : error;
    });
  const installed = asInstalled(row);
  emit(addonInstalled, {
    data: { addonId: addon.id, name: addon.name, version },
    record: { ...installed, id: addon.id },
  });
  return { ...installed, config, installedBy: row.createdBy };
};

function checkPlan(plan: Plan, required: Plan | null): void {
  if (required === null || planCodes.indexOf(plan) >= planCodes.indexOf(required)) return;
  throw fail('plan_too_low', [{ field: 'addonId', message: `Requires the plan ${required} or higher` }]);
}
