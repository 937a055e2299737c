import { event, flag, id, listQuery, name, operations, pageOr, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { oneOf, webAddress } from './fields.ts';

export const coMarketingCategories = [
  'social-posts',
  'images',
  'videos',
  'print',
  'email-templates',
  'landing-pages',
  'campaign-kits',
  'other',
] as const;
export const sourceTypes = ['file', 'landing-page', 'campaign'] as const;
export const coMarketingStatuses = ['active', 'archived'] as const;

export const CoMarketingCategory = oneOf(coMarketingCategories).describe('The kind of material');
export const CoMarketingSource = oneOf(sourceTypes).describe('What the material is made from');
export const CoMarketingStatus = oneOf(coMarketingStatuses).describe('Whether partners see the material');

export const CoMarketingResource = z.object({
  id: id('co_marketing_resource'),
  tenantId: id('tenant'),
  name: name(200).meta({ examples: ['Spring banner'] }),
  category: CoMarketingCategory.meta({ examples: ['images'] }),
  sourceType: CoMarketingSource,
  description: text(2000)
    .nullable()
    .meta({ examples: ['For newsletters and social media'] }),
  fileType: text(20)
    .nullable()
    .meta({ description: 'The kind of file by its extension', examples: ['pdf'] }),
  fileSize: text(20)
    .nullable()
    .meta({ description: 'The size of the file, for people', examples: ['1.4 MB'] }),
  fileUrl: webAddress()
    .nullable()
    .meta({ description: 'The address of a file that is not stored here', examples: [null] }),
  fileId: id('file').nullable().describe('The file that the material is made from'),
  landingPageId: id('landing_page')
    .nullable()
    .meta({ description: 'The landing page that the material is made from', examples: [null] }),
  campaignId: id('campaign')
    .nullable()
    .meta({ description: 'The campaign that the material is made from', examples: [null] }),
  thumbnailUrl: webAddress()
    .nullable()
    .meta({ description: 'The address of a preview picture', examples: ['https://cdn.example.com/spring-banner.png'] }),
  shareEnabled: z.boolean().describe('Whether anybody with the link can see the material'),
  shareToken: z
    .string()
    .nullable()
    .meta({
      description: 'The token of the public page `/s/<token>`; null unless `shareEnabled`',
      examples: ['ThisIsOnlyAnExampleOfATokenThatOpensAPage00'],
    }),
  shareCaption: text(1000)
    .nullable()
    .meta({
      description: 'The text that the public page shows beside the material',
      examples: ['Our offer for spring'],
    }),
  downloads: z.int().meta({ description: 'The number of downloads', examples: [12] }),
  shares: z.int().meta({ description: 'The number of shares', examples: [3] }),
  status: CoMarketingStatus,
  allowedTransitions: z
    .array(CoMarketingStatus)
    .meta({ description: 'The statuses that this resource can change to now', examples: [['archived']] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Resources by category; every category is there. */
export const GroupedCoMarketing = z.object(
  Object.fromEntries(
    coMarketingCategories.map((category) => [
      category,
      z.array(CoMarketingResource).describe('The material of this category'),
    ]),
  ) as {
    [K in (typeof coMarketingCategories)[number]]: z.ZodArray<typeof CoMarketingResource>;
  },
);
export const coMarketingReply = pageOr(CoMarketingResource, GroupedCoMarketing);

/** Where material can be fetched; without an end when the address is not ours. */
export const CoMarketingDownload = z.object({
  url: z
    .url()
    .meta({ description: 'The address of the file', examples: ['https://cdn.example.com/spring-banner.pdf'] }),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the link ends; null if it does not', examples: ['2026-03-02T09:30:00.000Z'] }),
});
export const CoMarketingCounters = CoMarketingResource.pick({ downloads: true, shares: true });

export const withResourceId = z.object({ id: id('co_marketing_resource') });
export const CoMarketingUsage = z.object({ action: oneOf(['download', 'share']).describe('What happened') });
/** What a list of material can be filtered by, apart from the status. */
export const coMarketingQuery = listQuery(['createdAt', 'updatedAt', 'name']).extend({
  category: CoMarketingCategory.optional(),
  sourceType: CoMarketingSource.optional(),
  grouped: flag()
    .describe('Whether to return all matching material by category, at most 1000, without pagination')
    .optional(),
});
export const noDownload = { no_download: [409, 'There is nothing to download'] } as const;

const writable = CoMarketingResource.pick({ name: true, category: true }).extend({
  description: text(2000).nullish(),
  fileId: id('file').nullish(),
  fileUrl: webAddress().nullish(),
  landingPageId: id('landing_page').nullish(),
  campaignId: id('campaign').nullish(),
  thumbnailUrl: webAddress().nullish(),
  shareEnabled: z.boolean({ error: 'Must be true or false' }).optional(),
  shareCaption: text(1000).nullish(),
});

// Who has the token may see the page: readers of events need not have it.
const change = {
  target: 'co_marketing_resource',
  data: z.object({ coMarketingResourceId: id('co_marketing_resource') }),
  record: CoMarketingResource.omit({ shareToken: true }),
} as const;

export const coMarketingCreated = event('co_marketing.created', {
  ...change,
  description: 'Co-marketing material is added',
  action: 'co_marketing.create',
});
export const coMarketingUpdated = event('co_marketing.updated', {
  ...change,
  description: 'Co-marketing material changes',
  action: 'co_marketing.update',
});
export const coMarketingDeleted = event('co_marketing.deleted', {
  ...change,
  description: 'Co-marketing material is removed',
  action: 'co_marketing.delete',
});

const refused = { transition_refused: [409, 'The resource cannot move to this status'] } as const;

/** Material hands its source out: to partners, and by its share link to anybody. */
const sourcePermissions = [
  { permission: 'files:read', for: 'fileId' },
  { permission: 'campaigns:read', for: 'landingPageId' },
  { permission: 'campaigns:read', for: 'campaignId' },
] as const;

export const coMarketing = operations({
  createCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing',
    permission: 'co_marketing:write',
    also: sourcePermissions,
    summary: 'Create co-marketing material',
    description:
      '`sourceType` says what the material is made from: `file` needs `fileId` or `fileUrl`, `landing-page` needs `landingPageId`, `campaign` needs `campaignId`. With `shareEnabled`, the public page `/s/<token>` shows the material.',
    body: writable.extend({ sourceType: CoMarketingSource }),
    reply: CoMarketingResource,
    status: 201,
    message: 'Co-marketing resource created',
    emits: [coMarketingCreated],
  },
  listCoMarketingResources: {
    method: 'GET',
    path: '/v1/partners/co-marketing',
    permission: 'co_marketing:read',
    summary: 'List co-marketing material',
    description:
      '`search` covers the name and the description. With `grouped=true`, `data` is an object with every category.',
    query: coMarketingQuery.extend({ status: CoMarketingStatus.optional() }),
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getCoMarketingResource: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:read',
    summary: 'Retrieve co-marketing material',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  updateCoMarketingResource: {
    method: 'PATCH',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:write',
    also: sourcePermissions,
    summary: 'Update co-marketing material',
    description:
      '`shareEnabled: false` ends the share link for good; `true` creates a new one. `sourceType` cannot change. `status` follows the rules of archive and activate.',
    params: withResourceId,
    body: writable.partial().extend({ status: CoMarketingStatus.optional() }),
    reply: CoMarketingResource,
    message: 'Co-marketing resource updated',
    emits: [coMarketingUpdated],
    errors: refused,
  },
  archiveCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/archive',
    permission: 'co_marketing:write',
    summary: 'Archive co-marketing material',
    description:
      'The material keeps its counters and its token. The share link answers 404 until the material is active again.',
    params: withResourceId,
    reply: CoMarketingResource,
    example: { status: 'archived', allowedTransitions: ['active'] },
    message: 'Co-marketing resource archived',
    emits: [coMarketingUpdated],
    errors: refused,
  },
  activateCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/activate',
    permission: 'co_marketing:write',
    summary: 'Activate co-marketing material',
    description: 'Makes archived material visible to partners again.',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource activated',
    emits: [coMarketingUpdated],
    errors: refused,
  },
  deleteCoMarketingResource: {
    method: 'DELETE',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:delete',
    summary: 'Delete co-marketing material',
    description:
      'Deletes the material and its share link for good. The file, page or campaign that it was made from is kept.',
    params: withResourceId,
    reply: z.object({ id: id('co_marketing_resource'), deleted: z.literal(true).describe('Always true') }),
    message: 'Co-marketing resource deleted',
    emits: [coMarketingDeleted],
  },
  getCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id/download-url',
    permission: 'co_marketing:read',
    summary: 'Get a download link for co-marketing material',
    description: 'Returns `fileUrl` if there is one, otherwise a link to the file that works for 15 minutes.',
    params: withResourceId,
    reply: CoMarketingDownload,
    message: 'Download link created',
    errors: noDownload,
  },
  recordCoMarketingUsage: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/usage',
    permission: 'co_marketing:write',
    summary: 'Record a download or a share',
    description: 'Adds one to the counter of the material.',
    params: withResourceId,
    body: CoMarketingUsage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
