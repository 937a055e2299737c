import { id, operations, PlanCode } from '@tandem/contract';
import { z } from 'zod';
import { type AddonKey, type AddonSettings, addonSettings } from './addon-settings.ts';

/** The features of a tenant's plan and addons, and the settings of the addons. */
export const Entitlements = z.object({
  plan: PlanCode,
  /** Keys of features; text, because another release may know more. */
  features: z.array(z.string()),
  /** The active addons that the plan of the tenant admits. */
  addons: z.array(
    z.object({
      addonId: id('addon'),
      key: z.string(),
      version: z.string(),
      /** Without secrets, unless they were asked for. */
      config: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** For the services that obey the settings of addons. */
export const internalEntitlements = operations({
  readEntitlements: {
    method: 'GET',
    path: '/internal/entitlements',
    audience: 'internal',
    summary: 'Retrieve the features of the tenant, and the settings of its active addons',
    query: z.object({
      /** The key of an addon whose secret settings the calling service uses. */
      secretsOf: z.string().max(64).optional(),
    }),
    reply: Entitlements,
    message: 'Entitlements retrieved',
  },
});

/** How long services use the entitlements of a tenant before they ask again. */
const entitlementsCacheMs = 2_000;

/** The entitlements of a tenant that nothing is known about: no addon has an effect. */
const unknownEntitlements: z.output<typeof Entitlements> = { plan: 'free', features: [], addons: [] };

/**
 * How a service reads and caches the entitlements of tenants: the options of `cachedPerTenant`.
 * @param secretsOf the addon whose secret settings the service uses
 */
export function entitlementsFrom<As>(
  identity: {
    readEntitlements(input: {
      query: { secretsOf?: string | undefined };
      as: As;
    }): Promise<z.output<typeof Entitlements>>;
  },
  secretsOf?: AddonKey,
) {
  return {
    name: 'The entitlements of the tenant',
    ttlMs: entitlementsCacheMs,
    fallback: unknownEntitlements,
    read: (as: As) => identity.readEntitlements({ query: secretsOf ? { secretsOf } : {}, as }),
  };
}

/** The settings of an addon; undefined unless it is active. A setting that cannot be read has its default. */
export function settingsOf<Key extends AddonKey>(
  { addons }: Pick<z.output<typeof Entitlements>, 'addons'>,
  key: Key,
): Partial<AddonSettings<Key>> | undefined {
  const addon = addons.find((one) => one.key === key);
  if (!addon) return undefined;
  const settings = Object.entries<z.ZodType>(addonSettings[key].shape).flatMap(([name, schema]) => {
    // A setting that the installed version does not have, or that another release stored, has its default.
    const { data } = schema.safeParse(addon.config[name]);
    const value = data === undefined ? schema.safeParse(undefined).data : data;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(settings) as Partial<AddonSettings<Key>>;
}

/**
 * Reads the settings of an addon of a tenant; undefined unless the addon is active.
 * @param whenUnknown throws where an unknown setting must not be taken for its default; called while identity has not
 * answered for the tenant yet
 */
export type SettingsReader<Request> = <Key extends AddonKey>(
  request: Request,
  key: Key,
  whenUnknown?: () => never,
) => Promise<Partial<AddonSettings<Key>> | undefined>;

/** Reads settings from the entitlements of a tenant. */
export function settingsReader<Request>(
  entitlementsOf: (request: Request) => Promise<z.output<typeof Entitlements>>,
): SettingsReader<Request> {
  return async (request, key, whenUnknown) => {
    const entitlements = await entitlementsOf(request);
    if (entitlements === unknownEntitlements) whenUnknown?.();
    return settingsOf(entitlements, key);
  };
}
