import { InstalledAddon } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { Ajv, type ErrorObject } from 'ajv';
import type { z } from 'zod';
import type { InstalledAddon as InstalledRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';

const ajv = new Ajv({ allErrors: true, useDefaults: true });
const byId = new Map(catalogue.map((addon) => [addon.id, { addon, validate: ajv.compile(addon.configSchema) }]));

/** Returns the addon with this id; 404 if there is none. */
export function readAddon(id: number): CatalogueEntry {
  const entry = byId.get(id);
  if (!entry) throw fail('not_found');
  return entry.addon;
}

/** Validates a configuration against the addon's schema and fills in defaults. Reports each invalid field. */
export function readAddonConfig(id: number, input: Record<string, unknown>): Record<string, unknown> {
  const config = structuredClone(input);
  const { validate } = byId.get(id) as NonNullable<ReturnType<typeof byId.get>>;
  if (!validate(config)) throw fail('validation_failed', (validate.errors ?? []).map(asFieldError));
  return config;
}

/** Defaults of the addon's schema. Required fields without a default may be missing until the addon becomes active. */
export function defaultAddonConfig(id: number): Record<string, unknown> {
  const config = {};
  byId.get(id)?.validate(config);
  return config;
}

/** Converts a row to the form shown on tenants and subscriptions. */
export function asInstalled(row: InstalledRow): z.output<typeof InstalledAddon> {
  const { addonId, version, createdAt: installedAt } = row;
  const status = InstalledAddon.shape.status.parse(row.status);
  return { addonId, name: readAddon(addonId).name, version, status, installedAt };
}

/** Addons installed by the current tenant. */
export async function readInstalled(tx: Tx): Promise<z.output<typeof InstalledAddon>[]> {
  const rows = await tx.installedAddon.findMany({ orderBy: [{ createdAt: 'asc' }, { addonId: 'asc' }] });
  return rows.map(asInstalled);
}

function asFieldError({ instancePath, params, message = 'is not valid' }: ErrorObject) {
  const path = ['config', ...instancePath.split('/').slice(1)];
  if (typeof params.additionalProperty === 'string') {
    path.push(params.additionalProperty);
    return { field: path.join('.'), message: 'Must not be sent: the addon has no such setting' };
  }
  const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
  return { field: path.join('.'), message: `${message.charAt(0).toUpperCase()}${message.slice(1)}${allowed}` };
}
