import type { Tx } from '../../handler.ts';
import { readInstalled } from '../addons/installation.ts';
import { asTenant, readTenant } from './tenant.ts';

/** Loads the current tenant with its addons. */
export async function lookUpTenant(tx: Tx) {
  const tenant = asTenant(await readTenant(tx));
  return { ...tenant, installedAddons: await readInstalled(tx) };
}
