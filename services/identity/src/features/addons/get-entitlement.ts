import type { Caller } from '@tandem/caller';
import type { entitlements } from '@tandem/identity-contract';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readMonth } from '../access/usage.ts';
import { readTenant } from '../tenants/tenant.ts';
import { entitlementOf, type Situation } from './entitlements.ts';
import { readInstalledRows } from './installation.ts';

export const getEntitlement =
  ({ seal }: Tools): Handler<typeof entitlements.getEntitlement> =>
  async ({ params, caller, tx }) =>
    entitlementOf(params.featureKey, await readSituation(tx, caller), seal);

/** Reads the data from which the entitlements of the caller's tenant are derived. */
export async function readSituation(tx: Tx, { usage }: Caller): Promise<Situation> {
  const tenant = await readTenant(tx);
  const installed = await readInstalledRows(tx);
  const month = new Date().toISOString().slice(0, 7);
  // Gateways report every few seconds, so the count that the gateway sends with a key is more recent.
  return { tenant, installed, calls: usage ?? (await readMonth(tx, tenant.tenantId, month)).calls };
}
