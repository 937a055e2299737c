import { event, FeatureKey, freeForm, id, PlanCode, secret, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The price of an addon. */
export const AddonPricing = z
  .object({
    type: z.enum(['free', 'flat']).describe('The pricing model'),
    monthlyPrice: z
      .number()
      .meta({ description: 'The price per month, in major units of the currency', examples: [0] }),
    currency: z.string().meta({ description: 'Currency code (ISO 4217)', examples: ['USD'] }),
  })
  .describe('The price of the addon');

/** An addon of the catalogue, which is the same for every tenant. */
export const Addon = z.object({
  id: id('addon'),
  key: z.string().meta({ description: 'The key of the addon', examples: ['advanced_search'] }),
  name: z.string().meta({ examples: ['Advanced Search'] }),
  description: z
    .string()
    .meta({ examples: ['Whether searches tolerate misspelt words, for all users and keys of the tenant.'] }),
  category: z.string().meta({ description: 'The catalogue category', examples: ['data'] }),
  version: z.string().meta({ description: 'The latest version', examples: ['1.4.0'] }),
  pricing: AddonPricing,
  features: z
    .array(FeatureKey)
    .meta({ description: 'The keys of the features that the addon enables', examples: [['search_settings']] }),
  requiresPlan: PlanCode.nullable().describe('The lowest plan that includes the addon; null if every plan does'),
});

export const AddonDetail = Addon.extend({
  versions: z.array(z.string()).meta({ description: 'The versions that can be installed', examples: [['1.4.0']] }),
  configSchema: z.record(z.string(), z.unknown()).meta({
    description: 'The JSON Schema (draft 7) of the configuration',
    examples: [{ type: 'object', properties: { typoTolerance: { type: 'boolean', default: true } } }],
  }),
});

export const AddonStatus = z
  .enum(['installed', 'active', 'suspended', 'uninstalled'])
  .meta({ description: 'The status of the installation', examples: ['active'] });

/** An installed addon, as part of the tenant. */
export const InstalledAddon = z.object({
  addonId: id('addon'),
  name: z.string().meta({ examples: ['Advanced Search'] }),
  version: z.string().meta({ description: 'The installed version', examples: ['1.4.0'] }),
  status: AddonStatus,
  installedAt: timestamp().describe('When the addon was installed'),
});

/** Days for which the configuration of an uninstalled addon is kept. */
export const keptConfigDays = 30;

const Config = secret(
  freeForm().meta({
    description: 'The configuration; must be valid against `configSchema`. Secret settings are shown as `***`.',
    examples: [{ typoTolerance: true }],
  }),
);

/** The states of an installed addon. */
export const installationStates = stateTable<z.output<typeof AddonStatus>>('Installation', {
  created: { installed: 'installAddon' },
  changes: {
    installed: { active: 'activateAddon', uninstalled: 'uninstallAddon' },
    active: { suspended: 'suspendAddon', uninstalled: 'uninstallAddon' },
    suspended: { active: 'activateAddon', uninstalled: 'uninstallAddon' },
    uninstalled: { installed: 'installAddon' },
  },
});

/** An installed addon with its configuration. */
export const Installation = InstalledAddon.extend({
  config: Config,
  allowedTransitions: z.array(AddonStatus).meta({
    description: 'The statuses that this installation can currently change to',
    examples: [['suspended', 'uninstalled']],
  }),
  discontinued: z.boolean().meta({
    description: 'Whether the catalogue no longer has the addon. It can only be uninstalled',
    examples: [false],
  }),
  installedBy: id('user').nullable().describe('The user who installed the addon'),
  activatedAt: timestamp()
    .nullable()
    .meta({ description: 'When the addon was last activated', examples: ['2026-03-02T09:20:00.000Z'] }),
  suspendedAt: timestamp()
    .nullable()
    .meta({ description: 'When the addon was suspended; null if it is not', examples: [null] }),
  suspendReason: text(500)
    .nullable()
    .meta({ description: 'The reason for the suspension', examples: [null] }),
  uninstalledAt: timestamp()
    .nullable()
    .meta({ description: 'When the addon was uninstalled; null if it is not', examples: [null] }),
  configKeptUntil: timestamp()
    .nullable()
    .meta({
      description: `When the configuration of the uninstalled addon is deleted, ${keptConfigDays} days after it was uninstalled; null if the addon is installed`,
      examples: [null],
    }),
});

const addonEvent = {
  group: 'billing',
  readPermission: 'addons:read',
  target: 'addon',
  record: InstalledAddon.extend({ id: id('addon') }),
} as const;
const EventData = z.object({ addonId: id('addon'), name: z.string(), version: z.string() });
const exampleData = { addonId: 'PMuvxaIC6LPQa7tU', name: 'Training Academy', version: '1.0.0' };

export const addonInstalled = event('addon.installed', {
  ...addonEvent,
  description: 'An addon is installed',
  action: 'addon.install',
  data: EventData,
  example: exampleData,
});
export const addonActivated = event('addon.activated', {
  ...addonEvent,
  description: 'An addon is activated: its features are available',
  action: 'addon.activate',
  data: EventData,
  example: exampleData,
});
export const addonSuspended = event('addon.suspended', {
  ...addonEvent,
  description: 'An addon is suspended: its features are off',
  action: 'addon.suspend',
  data: EventData.extend({
    reason: text(500).nullable().describe('Why the add-on is suspended; null if no reason was given'),
  }),
  example: { ...exampleData, reason: null },
});
export const addonUninstalled = event('addon.uninstalled', {
  ...addonEvent,
  description: 'An addon is uninstalled, or the kept configuration of an uninstalled addon is deleted',
  action: 'addon.uninstall',
  data: EventData.extend({
    configDeleted: z.boolean().describe('Whether the configuration of the add-on was deleted too'),
  }),
  example: { ...exampleData, configDeleted: false },
});
export const addonUpgraded = event('addon.upgraded', {
  ...addonEvent,
  description: 'An addon is upgraded to a later version',
  action: 'addon.upgrade',
  data: EventData.extend({ previousVersion: z.string().describe('The version before the upgrade') }),
  example: { ...exampleData, version: '1.0.1', previousVersion: '1.0.0' },
});
export const addonConfigured = event('addon.configured', {
  ...addonEvent,
  description: 'The configuration of an addon changes',
  action: 'addon.configure',
  data: EventData.extend({ fields: z.array(z.string()).describe('The names of the changed settings') }),
  example: { ...exampleData, name: 'Advanced Search', fields: ['typoTolerance'] },
});
