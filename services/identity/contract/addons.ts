import {
  event,
  FeatureKey,
  flag,
  freeForm,
  id,
  operations,
  PlanCode,
  page,
  sharedErrors,
  stateTable,
  text,
  timestamp,
  wholeNumber,
} from '@tandem/contract';
import { z } from 'zod';

const pageMax = 100_000;

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

const Config = freeForm().meta({
  description: 'The configuration; must be valid against `configSchema`. Secret settings are shown as `***`.',
  examples: [{ typoTolerance: true }],
});

/** An installed addon with its configuration. */
export const installationStates = stateTable<z.output<typeof AddonStatus>>('Installation', {
  created: { installed: 'installAddon' },
  changes: {
    installed: { active: 'activateAddon', uninstalled: 'uninstallAddon' },
    active: { suspended: 'suspendAddon', uninstalled: 'uninstallAddon' },
    suspended: { active: 'activateAddon', uninstalled: 'uninstallAddon' },
    uninstalled: { installed: 'installAddon' },
  },
});

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

const withId = z.object({ addonId: id('addon') });

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

const addonErrors = {
  transition: { transition_refused: sharedErrors.transition_refused },
  plan: { plan_too_low: [403, 'The plan of the tenant does not include this addon; upgrade the plan'] },
  discontinued: { addon_discontinued: [409, 'The addon is no longer offered; it can only be uninstalled'] },
  notInstalled: { not_installed: [409, 'The addon is uninstalled; install it first'] },
} as const;

const inMemoryPage = {
  page: wholeNumber(1, pageMax).describe('The page number, starting at 1').default(1),
  limit: wholeNumber(1, 100).describe('The maximum number of records per page').default(20),
  cursor: text(64).describe('`pagination.nextCursor` of the previous page; overrides `page`').optional(),
};
const version = text(20).meta({ description: 'The version of the addon', examples: ['1.4.0'] });
const configDescription =
  'Settings that are missing get the defaults of `configSchema`. A secret setting sent as `***` keeps its stored value.';

export const addons = operations({
  listAddonCatalog: {
    method: 'GET',
    path: '/v1/addons/catalog',
    permission: 'addons:read',
    summary: 'List the addon catalogue',
    description: '`search` covers the name and the description.',
    query: z.object({
      ...inMemoryPage,
      category: text(64)
        .meta({ examples: ['data'] })
        .optional(),
      search: text(200)
        .meta({ description: 'Text to search for', examples: ['search'] })
        .optional(),
    }),
    reply: page(Addon),
    message: 'Addon catalogue retrieved',
  },
  getAddonCatalogItem: {
    method: 'GET',
    path: '/v1/addons/catalog/:addonId',
    permission: 'addons:read',
    summary: 'Retrieve a catalogue addon',
    params: withId,
    reply: AddonDetail,
    message: 'Addon retrieved',
  },
  listInstalledAddons: {
    method: 'GET',
    path: '/v1/addons/installed',
    permission: 'addons:read',
    summary: 'List installed addons',
    description: `Uninstalled addons are listed with \`status=uninstalled\` only, for ${keptConfigDays} days.`,
    query: z.object({ ...inMemoryPage, status: AddonStatus.optional() }),
    reply: page(Installation),
    message: 'Installed addons retrieved',
  },
  getAddon: {
    method: 'GET',
    path: '/v1/addons/:addonId',
    permission: 'addons:read',
    summary: 'Retrieve an installed addon',
    description: `An uninstalled addon can be retrieved for ${keptConfigDays} days, as long as its configuration is kept.`,
    params: withId,
    reply: Installation,
    message: 'Installed addon retrieved',
  },
  installAddon: {
    method: 'POST',
    path: '/v1/addons/:addonId/install',
    permission: 'addons:write',
    summary: 'Install an addon',
    description: `\`config\` must be valid against the \`configSchema\` of the addon. ${configDescription} Without \`version\`, the latest version is installed. Within ${keptConfigDays} days after it was uninstalled, an addon gets its previous configuration, unless \`config\` is sent. The features of the addon are off until it is activated.`,
    params: withId,
    body: z.object({
      config: Config.optional(),
      version: version.describe('The version to install; defaults to the latest').optional(),
    }),
    reply: Installation,
    example: { status: 'installed', activatedAt: null, allowedTransitions: ['active', 'uninstalled'] },
    status: 201,
    message: 'Addon installed',
    emits: [addonInstalled],
    errors: {
      ...addonErrors.plan,
      already_installed: [409, 'The addon is already installed'],
    },
  },
  activateAddon: {
    method: 'POST',
    path: '/v1/addons/:addonId/activate',
    permission: 'addons:write',
    summary: 'Activate an addon',
    description: 'Switches the features of the addon on. Required settings must be present.',
    params: withId,
    reply: Installation,
    message: 'Addon activated',
    emits: [addonActivated],
    errors: { ...addonErrors.transition, ...addonErrors.plan, ...addonErrors.discontinued },
  },
  suspendAddon: {
    method: 'POST',
    path: '/v1/addons/:addonId/suspend',
    permission: 'addons:write',
    summary: 'Suspend an addon',
    description: 'Switches the features of the addon off, unless the plan includes them. The configuration stays.',
    params: withId,
    body: z.object({
      reason: text(500)
        .nullish()
        .meta({ description: 'The reason for the suspension', examples: ['Not needed in winter'] }),
    }),
    reply: Installation,
    example: {
      status: 'suspended',
      suspendedAt: '2026-03-04T16:40:00.000Z',
      suspendReason: 'Not needed in winter',
      allowedTransitions: ['active', 'uninstalled'],
    },
    message: 'Addon suspended',
    emits: [addonSuspended],
    errors: addonErrors.transition,
  },
  uninstallAddon: {
    method: 'DELETE',
    path: '/v1/addons/:addonId',
    permission: 'addons:delete',
    summary: 'Uninstall an addon',
    description: `Switches the features of the addon off, unless the plan includes them. The configuration is kept for ${keptConfigDays} days, in case the addon is installed again. With \`purgeData=true\` it is deleted immediately, also that of an addon that is already uninstalled.`,
    params: withId,
    query: z.object({
      purgeData: flag().describe('Whether the configuration is deleted immediately').default(false),
    }),
    reply: z.object({
      id: id('addon'),
      deleted: z.literal(true).describe('Always true'),
      configKeptUntil: timestamp()
        .nullable()
        .meta({
          description: 'When the configuration is deleted; null if it is deleted already',
          examples: ['2026-04-03T16:40:00.000Z'],
        }),
    }),
    message: 'Addon uninstalled',
    emits: [addonUninstalled],
    errors: addonErrors.transition,
  },
  getAddonConfig: {
    method: 'GET',
    path: '/v1/addons/:addonId/config',
    permission: 'addons:read',
    summary: 'Retrieve the configuration of an addon',
    params: withId,
    reply: Config,
    message: 'Addon configuration retrieved',
  },
  updateAddonConfig: {
    method: 'PUT',
    path: '/v1/addons/:addonId/config',
    permission: 'addons:manage',
    summary: 'Replace the configuration of an addon',
    description: `The body is the configuration, valid against the \`configSchema\` of the installed version. ${configDescription} Services apply the change within seconds.`,
    params: withId,
    body: z.looseObject({}).meta({ examples: [{ typoTolerance: false }] }),
    reply: Config,
    message: 'Addon configuration updated',
    emits: [addonConfigured],
    errors: { ...addonErrors.notInstalled, ...addonErrors.discontinued },
  },
  upgradeAddon: {
    method: 'POST',
    path: '/v1/addons/:addonId/upgrade',
    permission: 'addons:write',
    summary: 'Upgrade an addon',
    description: `Changes to a later version. An upgrade cannot be undone. Settings that are new in it get their defaults; \`config\` replaces the whole configuration. An active addon stays active.`,
    params: withId,
    body: z.object({
      version: version.describe('The version to upgrade to'),
      config: Config.optional(),
    }),
    reply: Installation,
    message: 'Addon upgraded',
    emits: [addonUpgraded],
    errors: {
      ...addonErrors.notInstalled,
      ...addonErrors.discontinued,
      not_later: [409, 'The addon has this version or a later one; it can only be upgraded'],
    },
  },
});
