import { type AddonKey, addonSettings, metaOfSetting } from '@tandem/identity-contract';
import { z } from 'zod';

/** The part of an addon that its settings depend on. */
export interface Versioned {
  key: AddonKey;
  /** In the order of their release. */
  versions: string[];
}

/** The schemas of the settings that a version of an addon has, by name. */
export function settingsOfVersion({ key, versions }: Versioned, version: string): [name: string, z.ZodType][] {
  const at = versions.indexOf(version);
  return Object.entries<z.ZodType>(addonSettings[key].shape).filter(
    ([, schema]) => versions.indexOf(metaOfSetting(schema).since) <= at,
  );
}

/** The names of an addon's secret settings. */
export function secretSettings(key: AddonKey): string[] {
  return Object.entries<z.ZodType>(addonSettings[key].shape).flatMap(([name, schema]) =>
    metaOfSetting(schema).isSecret ? [name] : [],
  );
}

/** The JSON Schema of a version's settings. Unknown settings are rejected, so that a misspelt name is reported. */
export function configSchemaOf(addon: Versioned, version: string): Record<string, unknown> {
  const settings = settingsOfVersion(addon, version);
  const required = settings.flatMap(([name, schema]) => (schema.safeParse(undefined).success ? [] : [name]));
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(settings.map(([name, schema]) => [name, propertyOf(schema)])),
    ...(required.length && { required }),
  };
}

function propertyOf(schema: z.ZodType): object {
  const { $schema, ...property } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return { ...property, ...(metaOfSetting(schema).isSecret && { writeOnly: true }) };
}
