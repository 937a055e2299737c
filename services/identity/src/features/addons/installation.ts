import { type Plan, planCodes, plans } from '@tandem/contract';
import { type Installation, InstalledAddon, installationStates, keptConfigDays } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import { fail, storedObject, toJsonColumn, transitionError } from '@tandem/service';
import type { z } from 'zod';
import type { InstalledAddon as InstalledRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { limitsOf, readTenant } from '../tenants/tenant.ts';
import { type CatalogueEntry, catalogue, discontinuedAddons } from './catalogue.ts';
import { openConfig, shownConfig } from './config.ts';

export type AddonStatus = z.output<typeof InstalledAddon>['status'];
type InstallationRecord = z.output<typeof Installation>;

const keptMs = keptConfigDays * 24 * 3_600_000;
const { status: Status } = InstalledAddon.shape;

/** The addon of an installation; undefined if it is discontinued. */
export function addonOf({ addonId }: Pick<InstalledRow, 'addonId'>): CatalogueEntry | undefined {
  return catalogue.find(({ id }) => id === addonId);
}

/** Converts a row to the form shown on tenants and subscriptions. */
export function asInstalled(row: InstalledRow): z.output<typeof InstalledAddon> {
  const { addonId, version, createdAt: installedAt } = row;
  const name = addonOf(row)?.name ?? discontinuedAddons.get(addonId) ?? `Addon ${addonId}`;
  return { addonId, name, version, status: Status.parse(row.status), installedAt };
}

/** Converts a row to the API resource. */
export function asInstallation(row: InstalledRow, seal: Seal): InstallationRecord {
  const addon = addonOf(row);
  const installed = asInstalled(row);
  return {
    ...row,
    ...installed,
    config: addon ? shownConfig(addon.key, openConfig(seal, row)) : storedObject.parse(row.config),
    allowedTransitions: addon ? installationStates.next(installed.status) : discontinuedTransitions(installed.status),
    discontinued: !addon,
    installedBy: row.createdBy,
    configKeptUntil: row.uninstalledAt && new Date(row.uninstalledAt.getTime() + keptMs),
  };
}

function discontinuedTransitions(status: AddonStatus): AddonStatus[] {
  return status === 'uninstalled' ? [] : ['uninstalled'];
}

/** Whether the kept configuration of an uninstalled addon has expired; housekeeping deletes the row some time later. */
export function isExpired({ uninstalledAt }: Pick<InstalledRow, 'uninstalledAt'>): boolean {
  return uninstalledAt !== null && uninstalledAt.getTime() + keptMs <= Date.now();
}

/** Installed addons of the current tenant, without uninstalled ones. */
export async function readInstalled(tx: Tx): Promise<z.output<typeof InstalledAddon>[]> {
  return (await readInstalledRows(tx)).map(asInstalled);
}

/** The rows of `readInstalled`, in the order of their installation. */
export function readInstalledRows(tx: Tx): Promise<InstalledRow[]> {
  return tx.installedAddon.findMany({
    where: { uninstalledAt: null },
    orderBy: [{ createdAt: 'asc' }, { addonId: 'asc' }],
  });
}

/** Loads an installation in any status; 404 if there is none, or only an expired one. */
export async function readInstallation(tx: Tx, addonId: number): Promise<InstalledRow> {
  const row = await tx.installedAddon.findFirst({ where: { addonId } });
  if (!row || isExpired(row)) throw fail('not_found');
  return row;
}

/** Like `readInstallation`, with a row lock. */
export async function lockInstallation(tx: Tx, addonId: number): Promise<InstalledRow> {
  const row = await tx.installedAddon.lockFirst({ where: { addonId } });
  if (!row || isExpired(row)) throw fail('not_found');
  return row;
}

/** Locks an installation that is about to change in another way than by uninstalling it. */
export async function lockInstalled(tx: Tx, addonId: number) {
  const row = await lockInstallation(tx, addonId);
  if (row.status === 'uninstalled') throw fail('not_installed');
  return { row, addon: checkOffered(row) };
}

/** @throws ApiError 409 if the addon is discontinued */
export function checkOffered(row: InstalledRow): CatalogueEntry {
  const addon = addonOf(row);
  if (!addon) throw fail('addon_discontinued');
  return addon;
}

/** @throws ApiError 409 if the installation cannot change to this status now */
export function checkTransition(row: InstalledRow, to: AddonStatus): void {
  const from = Status.parse(row.status);
  const allowed = addonOf(row) ? installationStates.next(from) : discontinuedTransitions(from);
  if (!allowed.includes(to)) throw fail('transition_refused', [transitionError(from, allowed)]);
}

type Columns = Parameters<Tx['installedAddon']['updateManyAndReturn']>[0]['data'];

/** Updates a locked installation. */
export async function writeInstallation(
  tx: Tx,
  addonId: number,
  { config, ...data }: Omit<Columns, 'config'> & { config?: Record<string, unknown> },
): Promise<InstalledRow> {
  const [row] = await tx.installedAddon.updateManyAndReturn({
    where: { addonId },
    data: { ...data, ...(config && { config: toJsonColumn(config) }) },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** The data and record of an event about an installation. */
export function addonEventOf(row: InstalledRow) {
  const installed = asInstalled(row);
  const { addonId, name, version } = installed;
  return { data: { addonId, name, version }, record: { ...installed, id: addonId } };
}

/**
 * Locks the tenant against a concurrent change of its plan.
 * @throws ApiError 403 if the plan of the tenant is below the one that the addon requires
 */
export async function checkPlan(tx: Tx, { requiresPlan }: CatalogueEntry): Promise<void> {
  await tx.sql`SELECT tenant_id FROM tenant FOR SHARE`;
  const { plan } = limitsOf(await readTenant(tx));
  if (requiresPlan === null || meetsPlan(plan, requiresPlan)) return;
  const message = `Requires the plan ${plans[requiresPlan].name} or higher; the tenant is on ${plans[plan].name}`;
  throw fail('plan_too_low', [{ field: 'addonId', message }]);
}

/** Whether a plan is the required one or a higher one. */
export function meetsPlan(plan: Plan, required: Plan | null): boolean {
  return required === null || planCodes.indexOf(plan) >= planCodes.indexOf(required);
}

/** The installed addons that require a higher plan than this one. */
export async function addonsAbove(tx: Tx, plan: Plan): Promise<{ name: string; requiresPlan: Plan }[]> {
  const installed = new Set((await readInstalled(tx)).map(({ addonId }) => addonId));
  return catalogue.flatMap(({ id, name, requiresPlan }) =>
    installed.has(id) && requiresPlan && planCodes.indexOf(requiresPlan) > planCodes.indexOf(plan)
      ? [{ name, requiresPlan }]
      : [],
  );
}
