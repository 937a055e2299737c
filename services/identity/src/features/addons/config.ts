import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@tandem/contract';
import { type AddonKey, hiddenSetting } from '@tandem/identity-contract';
import type { Seal } from '@tandem/sealed';
import { fail, readFields, type SealedColumn, storedObject } from '@tandem/service';
import { z } from 'zod';
import type { InstalledAddon as InstalledRow } from '../../generated/client.ts';
import { type CatalogueEntry, catalogue } from './catalogue.ts';
import { secretSettings, settingsOfVersion } from './settings-schema.ts';

export type Config = Record<string, unknown>;

const secretContext = 'addon secrets';

/** The encrypted column of installed addons. */
export const sealedAddonSecrets: SealedColumn = {
  table: 'installed_addon',
  column: 'secrets',
  context: secretContext,
  ref: 'seal_ref',
};

/** A configuration to validate. */
interface Given {
  config: Config;
  /** The stored configuration, whose secrets replace `***`. */
  stored?: Config | undefined;
  version: string;
  /** Whether settings without a default must be present; they may be missing until the addon becomes active. */
  isActive: boolean;
  /** The path of the configuration in the request. */
  path?: 'config';
}

/**
 * Validates a configuration against a version of the addon, and fills in defaults.
 * @throws ApiError 422 naming each invalid setting
 */
export function readConfig(addon: CatalogueEntry, { config, stored = {}, version, isActive, path }: Given): Config {
  const settings = settingsOfVersion(addon, version);
  const at = (name: string) => (path ? `${path}.${name}` : name);
  const errors: FieldError[] = [];
  const known = new Set(settings.map(([name]) => name));
  for (const name of Object.keys(config))
    if (!known.has(name)) errors.push({ field: at(name), message: 'Must not be sent: the addon has no such setting' });

  const revealed = { ...config };
  for (const name of secretSettings(addon.key)) {
    if (config[name] !== hiddenSetting) continue;
    revealed[name] = stored[name];
    if (stored[name] === undefined)
      errors.push({ field: at(name), message: 'Must be the value itself; no value is stored' });
  }
  const shape = Object.fromEntries(
    settings.map(([name, schema]) => [name, isActive || hasDefault(schema) ? schema : schema.optional()]),
  );
  const found: FieldError[] = [];
  const data = readFields(z.object(shape), revealed, found);
  errors.push(...found.map(({ field, message }) => ({ field: at(field), message })));
  if (errors.length || !data) throw fail('validation_failed', errors);
  return data;
}

/** The members of a stored configuration that a version has. Another version may have had more. */
export function configFor(addon: CatalogueEntry, version: string, stored: Config): Config {
  const names = settingsOfVersion(addon, version).map(([name]) => name);
  return Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name)));
}

/** The stored configuration of an installed addon, with its secrets. */
export function openConfig(seal: Seal, { config, secrets, sealRef }: Stored): Config {
  const opened = secrets && sealRef ? JSON.parse(seal.open(secrets, `${secretContext} ${sealRef}`)) : {};
  return { ...storedObject.parse(config), ...opened };
}

/** A configuration as it is stored: secrets apart and encrypted. */
export function sealConfig(seal: Seal, key: AddonKey, config: Config, ref: string | null) {
  const sealRef = ref ?? randomUUID();
  const names = secretSettings(key);
  const [plain, secret] = [false, true].map((isSecret) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => names.includes(name) === isSecret)),
  ) as [Config, Config];
  const secrets = Object.keys(secret).length ? seal.seal(JSON.stringify(secret), `${secretContext} ${sealRef}`) : null;
  return { config: plain, secrets, sealRef };
}

/** A configuration as it is shown: `***` in place of each secret. */
export function shownConfig(key: AddonKey, config: Config): Config {
  const secrets = secretSettings(key);
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, secrets.includes(name) ? hiddenSetting : value]),
  );
}

/** The changes of a configuration as the audit log stores them, without secrets. */
export function changedSettings(key: AddonKey, before: Config, after: Config) {
  const [from, to] = [shownConfig(key, before), shownConfig(key, after)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, { from: from[name] ?? null, to: to[name] ?? null }]));
}

/** Returns the addon with this id; 404 if the catalogue does not have it. */
export function readAddon(id: number): CatalogueEntry {
  const entry = catalogue.find((addon) => addon.id === id);
  if (!entry) throw fail('not_found');
  return entry;
}

type Stored = Pick<InstalledRow, 'config' | 'secrets' | 'sealRef'>;

function hasDefault(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}
