import { event, freeForm, id, operations, page, planCodes, text, timestamp, wholeNumber } from '@tandem/contract';
import { z } from 'zod';

const pageMax = 100_000;

/** What the platform offers beside the plans; the same for every tenant. */
export const Addon = z.object({
  id: id('addon'),
  key: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  /** The newest one. */
  version: z.string(),
  pricing: z.object({
    type: z.enum(['free', 'flat']),
    /** Per month, in major units. */
    monthlyPrice: z.number(),
    currency: z.string(),
  }),
  /** Keys of what it switches on. */
  features: z.array(z.string()),
  /** The lowest plan that may install it; null is any. */
  requiresPlan: z.enum(planCodes).nullable(),
});

export const AddonDetail = Addon.extend({
  versions: z.array(z.string()),
  /** A JSON Schema (draft 7) of the configuration. */
  configSchema: z.record(z.string(), z.unknown()),
});

const AddonStatus = z.enum(['installed', 'active', 'suspended']);

/** An addon of a tenant, as the tenant shows it. */
export const InstalledAddon = z.object({
  addonId: id('addon'),
  name: z.string(),
  version: z.string(),
  status: AddonStatus,
  installedAt: timestamp(),
});

const Installation = InstalledAddon.extend({ config: freeForm(), installedBy: id('user').nullable() });

const withId = z.object({ addonId: id('addon') });

export const addonInstalled = event('addon.installed', {
  group: 'billing',
  readPermission: 'addons:read',
  description: 'A tenant installs an addon',
  action: 'addon.install',
  target: 'addon',
  data: z.object({ addonId: id('addon'), name: z.string(), version: z.string() }),
  record: InstalledAddon.extend({ id: id('addon') }),
  example: { addonId: 'Ad7cM4yLt9QzWvKs', name: 'Training Academy', version: '1.0.0' },
});

export const addons = operations({
  listAddonCatalog: {
    method: 'GET',
    path: '/v1/addons/catalog',
    permission: 'addons:read',
    summary: 'List the catalogue of addons',
    description: '`search` looks into name and description, in any case.',
    query: z.object({
      page: wholeNumber(1, pageMax).describe('Which page, from 1 on').default(1),
      limit: wholeNumber(1, 100).describe('How many addons a page has').default(20),
      cursor: text(64).describe('`pagination.nextCursor` of the page before; then `page` is ignored').optional(),
      category: text(64).optional(),
      search: text(200).describe('Text to look for').optional(),
    }),
    reply: page(Addon),
    message: 'Addon catalogue retrieved',
  },
  getAddonCatalogItem: {
    method: 'GET',
    path: '/v1/addons/catalog/:addonId',
    permission: 'addons:read',
    summary: 'Retrieve an addon of the catalogue',
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
      'A configuration must fit the addon’s configSchema, whose defaults fill it up. Without version it is the newest.',
    params: withId,
    body: z.object({ config: freeForm().optional(), version: text(20).optional() }),
    reply: Installation,
    status: 201,
    message: 'Addon installed',
    emits: [addonInstalled],
    errors: {
      plan_too_low: [403, 'The plan of the tenant does not include this addon'],
      already_installed: [409, 'The addon is already installed'],
    },
  },
});
