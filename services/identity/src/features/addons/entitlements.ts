import { type Feature, featureKeys, features, lowestPlanWith, type Plan, planFeatures, plans } from '@tandem/contract';
import type { Entitlement } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import type { z } from 'zod';
import type { InstalledAddon as InstalledRow, Tenant as TenantRow } from '../../generated/client.ts';
import { limitsOf } from '../tenants/tenant.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';
import { openConfig, shownConfig } from './config.ts';
import { activeAddons } from './effective-features.ts';

type EntitlementRecord = z.output<typeof Entitlement>;

/** The data from which the entitlements of a tenant are derived. */
export interface Situation {
  tenant: TenantRow;
  /** Installed addons, without uninstalled ones. */
  installed: InstalledRow[];
  /** API calls of the current month. */
  calls: number;
}

/** All entitlements of a tenant. */
export function entitlementsOf(situation: Situation, seal: Seal): EntitlementRecord[] {
  return [...featureKeys.map((key) => featureEntitlement(key, situation, seal)), ...limitEntitlements(situation)];
}

/** One entitlement; without access if no feature or limit has this key. */
export function entitlementOf(featureKey: string, situation: Situation, seal: Seal): EntitlementRecord {
  const found = entitlementsOf(situation, seal).find((one) => one.featureKey === featureKey);
  return (
    found ?? {
      featureKey,
      type: 'boolean',
      hasAccess: false,
      source: null,
      addonId: null,
      reason: 'There is no feature or limit with this key',
    }
  );
}

function featureEntitlement(featureKey: Feature, { tenant, installed }: Situation, seal: Seal): EntitlementRecord {
  const { plan } = limitsOf(tenant);
  const active = activeAddons(installed, plan).find(({ addon }) => addon.features.includes(featureKey));
  const byPlan = planFeatures[plan].includes(featureKey);
  const entitlement = { featureKey, type: 'boolean', hasAccess: byPlan || active !== undefined } as const;
  const config = active && { config: shownConfig(active.addon.key, openConfig(seal, active.row)) };
  if (byPlan)
    return {
      ...entitlement,
      source: 'plan',
      addonId: null,
      ...config,
      reason: `Included in the plan ${plans[plan].name}`,
    };
  if (active)
    return {
      ...entitlement,
      source: 'addon',
      addonId: active.addon.id,
      ...config,
      reason: `Enabled by the addon ${active.addon.name}`,
    };
  return { ...entitlement, source: null, addonId: null, reason: missingReason(featureKey, installed) };
}

/** Instructions for getting the feature. */
function missingReason(featureKey: Feature, installed: InstalledRow[]): string {
  const addon = catalogue.find((one) => one.features.includes(featureKey));
  const row = addon && installed.find(({ addonId }) => addonId === addon.id);
  if (addon && row) return `${reasonOfInactive(addon, row)}${orPlan(featureKey)}`;
  const lowest = lowestPlanWith(featureKey);
  const ways = [
    ...(lowest ? [`change to the plan ${plans[lowest].name} or higher`] : []),
    ...(addon ? [`install the addon ${addon.name}${requirement(addon)}`] : []),
  ];
  return `${features[featureKey].name} is not included: ${ways.join(', or ')}`;
}

function reasonOfInactive({ name, requiresPlan }: CatalogueEntry, { status }: InstalledRow): string {
  if (status !== 'active') return `The addon ${name} is ${status}: activate it`;
  return `The addon ${name} requires the plan ${plans[requiresPlan as Plan].name} or higher: upgrade the plan`;
}

function orPlan(featureKey: Feature): string {
  const lowest = lowestPlanWith(featureKey);
  return lowest ? `, or change to the plan ${plans[lowest].name} or higher` : '';
}

function requirement({ requiresPlan }: CatalogueEntry): string {
  return requiresPlan === null ? '' : `, which requires the plan ${plans[requiresPlan].name} or higher`;
}

/** The limits of the plan. */
function limitEntitlements({ tenant, calls }: Situation): EntitlementRecord[] {
  const { plan, monthlyCalls, ratePerMinute, burst } = limitsOf(tenant);
  const ofPlan = { source: 'plan', addonId: null } as const;
  const reason = `The limit of the plan ${plans[plan].name}`;
  const left = monthlyCalls === null ? null : Math.max(0, monthlyCalls - calls);
  return [
    {
      ...ofPlan,
      featureKey: 'api_calls_per_month',
      type: 'metered',
      hasAccess: left !== 0,
      usage: calls,
      limit: monthlyCalls,
      balance: left,
      reason: left === 0 ? `${reason} is used up until the end of the month: upgrade the plan` : reason,
    },
    { ...ofPlan, featureKey: 'api_calls_per_minute', type: 'static', hasAccess: true, limit: ratePerMinute, reason },
    { ...ofPlan, featureKey: 'api_calls_burst', type: 'static', hasAccess: true, limit: burst, reason },
  ];
}
