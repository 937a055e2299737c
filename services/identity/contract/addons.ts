import { flag, id, operations, page, sharedErrors, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';
import {
  Addon,
  AddonDetail,
  AddonStatus,
  addonActivated,
  addonConfigured,
  addonInstalled,
  addonSuspended,
  addonUninstalled,
  addonUpgraded,
  Installation,
  keptConfigDays,
} from './addon.ts';

const pageMax = 100_000;
const { config: Config } = Installation.shape;
const withId = z.object({ addonId: id('addon') });

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
