import { event, freeForm, id, operations, PlanCode, page, text, timestamp, wholeNumber } from '@tandem/contract';
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
    .meta({ examples: ['Typo-tolerant full-text search over leads, opportunities and partners.'] }),
  category: z.string().meta({ description: 'The catalogue category', examples: ['data'] }),
  version: z.string().meta({ description: 'The latest version', examples: ['1.4.0'] }),
  pricing: AddonPricing,
  features: z
    .array(z.string())
    .meta({ description: 'The keys of the features that the addon enables', examples: [['search']] }),
  requiresPlan: PlanCode.nullable().describe('The lowest plan that includes the addon; null if every plan does'),
});

export const AddonDetail = Addon.extend({
  versions: z.array(z.string()).meta({ description: 'The versions that can be installed', examples: [['1.4.0']] }),
  configSchema: z.record(z.string(), z.unknown()).meta({
    description: 'The JSON Schema (draft 7) of the configuration',
    examples: [{ type: 'object', properties: { typoTolerance: { type: 'boolean', default: true } } }],
  }),
});

export const AddonStatus = z.enum(['installed', 'active', 'suspended']).describe('The status of the installation');

/** An installed addon, as part of the tenant. */
export const InstalledAddon = z.object({
  addonId: id('addon'),
  name: z.string().meta({ examples: ['Advanced Search'] }),
  version: z.string().meta({ description: 'The installed version', examples: ['1.4.0'] }),
  status: AddonStatus,
  installedAt: timestamp().describe('When the addon was installed'),
});

const Config = freeForm().meta({
  description: 'The configuration; must be valid against `configSchema`',
  examples: [{ typoTolerance: true }],
});

/** An installed addon with its configuration. */
export const Installation = InstalledAddon.extend({
  config: Config,
  installedBy: id('user').nullable().describe('The user who installed the addon'),
});

const withId = z.object({ addonId: id('addon') });

export const addonInstalled = event('addon.installed', {
  group: 'billing',
  readPermission: 'addons:read',
  description: 'An addon is installed',
  action: 'addon.install',
  target: 'addon',
  data: z.object({ addonId: id('addon'), name: z.string(), version: z.string() }),
  record: InstalledAddon.extend({ id: id('addon') }),
  example: { addonId: 'PMuvxaIC6LPQa7tU', name: 'Training Academy', version: '1.0.0' },
});

export const addons = operations({
  listAddonCatalog: {
    method: 'GET',
    path: '/v1/addons/catalog',
    permission: 'addons:read',
    summary: 'List the addon catalogue',
    description: '`search` covers the name and the description.',
    query: z.object({
      page: wholeNumber(1, pageMax).describe('The page number, starting at 1').default(1),
      limit: wholeNumber(1, 100).describe('The maximum number of records per page').default(20),
      cursor: text(64).describe('`pagination.nextCursor` of the previous page; overrides `page`').optional(),
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
  installAddon: {
    method: 'POST',
    path: '/v1/addons/:addonId/install',
    permission: 'addons:write',
    summary: 'Install an addon',
    description:
      '`config` must be valid against the `configSchema` of the addon, whose defaults apply to missing values. Without `version`, the latest version is installed.',
    params: withId,
    body: z.object({
      config: Config.optional(),
      version: text(20)
        .meta({ description: 'The version to install; defaults to the latest', examples: ['1.4.0'] })
        .optional(),
    }),
    reply: Installation,
    status: 201,
    message: 'Addon installed',
    emits: [addonInstalled],
    errors: {
      plan_too_low: [403, 'The plan of the tenant does not include this addon; upgrade the plan'],
      already_installed: [409, 'The addon is already installed'],
    },
  },
});
