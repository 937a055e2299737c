import { type Feature, type Plan, planFeatures } from '@tandem/contract';
import type { InstalledAddon as InstalledRow, Tenant as TenantRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { limitsOf } from '../tenants/tenant.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { addonOf, meetsPlan, readInstalledRows } from './installation.ts';

/** The features of a tenant: those of its plan and its active addons. Every request is checked against them. */
export async function effectiveFeatures(
  tx: Tx,
  tenant: Pick<TenantRow, 'plan' | 'monthlyCalls' | 'ratePerMinute' | 'burst'>,
): Promise<Feature[]> {
  const { plan } = limitsOf(tenant);
  const active = activeAddons(await readInstalledRows(tx), plan);
  return [...new Set([...planFeatures[plan], ...active.flatMap(({ addon }) => addon.features)])];
}

/** The addons that have an effect: active ones that the plan admits. The plan may have changed since the activation. */
export function activeAddons(rows: InstalledRow[], plan: Plan): { row: InstalledRow; addon: CatalogueEntry }[] {
  return rows.flatMap((row) => {
    const addon = addonOf(row);
    return row.status === 'active' && addon && meetsPlan(plan, addon.requiresPlan) ? [{ row, addon }] : [];
  });
}
