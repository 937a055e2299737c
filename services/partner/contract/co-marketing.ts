import {
  event,
  flag,
  id,
  listQuery,
  name,
  operations,
  pageOr,
  secret,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { httpsUrl } from './fields.ts';
import { PartnerTier } from './partners.ts';

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

export const CoMarketingCategory = z.enum(coMarketingCategories).describe('The category of the resource');
export const CoMarketingSource = z.enum(sourceTypes).describe('The type of the source of the resource');
export const CoMarketingStatus = z
  .enum(coMarketingStatuses)
  .describe('The status of the resource; partners see only `active` resources');

export const coMarketingStates = stateTable<(typeof coMarketingStatuses)[number]>('CoMarketingResource', {
  created: { active: 'createCoMarketingResource' },
  changes: { active: { archived: 'archiveCoMarketingResource' }, archived: { active: 'activateCoMarketingResource' } },
});

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
    .meta({ description: 'The type of the file, from its extension', examples: ['pdf'] }),
  fileSize: text(20)
    .nullable()
    .meta({ description: 'The size of the file in a readable form', examples: ['1.4 MB'] }),
  fileUrl: httpsUrl()
    .nullable()
    .meta({ description: 'The URL of an externally hosted file', examples: [null] }),
  fileId: id('file').nullable().describe('The file that is the source of the resource'),
  landingPageId: id('landing_page')
    .nullable()
    .meta({ description: 'The landing page that is the source of the resource', examples: [null] }),
  campaignId: id('campaign')
    .nullable()
    .meta({ description: 'The campaign that is the source of the resource', examples: [null] }),
  minTier: PartnerTier.nullable().meta({
    description: 'The lowest tier of partners who see the resource in the portal; null for all partners',
    examples: [null],
  }),
  thumbnailUrl: httpsUrl()
    .nullable()
    .meta({ description: 'The URL of a preview image', examples: ['https://cdn.example.com/spring-banner.png'] }),
  shareEnabled: z.boolean().describe('Whether anyone with the share link can see the resource'),
  shareToken: secret(
    z
      .string()
      .nullable()
      .meta({
        description: 'The token of the public page `/s/<token>`; null unless `shareEnabled` is true',
        examples: ['ThisIsOnlyAnExampleOfATokenThatOpensAPage00'],
      }),
  ),
  shareCaption: text(1000)
    .nullable()
    .meta({
      description: 'The caption on the public page',
      examples: ['Our offer for spring'],
    }),
  downloads: z.int().meta({ description: 'The number of downloads', examples: [12] }),
  shares: z.int().meta({ description: 'The number of shares', examples: [3] }),
  status: CoMarketingStatus,
  allowedTransitions: z
    .array(CoMarketingStatus)
    .meta({ description: 'The statuses that this resource can currently change to', examples: [['archived']] }),
  createdBy: id('user').nullable().describe('The user who created the record'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Resources by category, including empty categories. */
export const GroupedCoMarketing = z.object(
  Object.fromEntries(
    coMarketingCategories.map((category) => [
      category,
      z.array(CoMarketingResource).describe('The resources of this category'),
    ]),
  ) as {
    [K in (typeof coMarketingCategories)[number]]: z.ZodArray<typeof CoMarketingResource>;
  },
);
export const coMarketingReply = pageOr(CoMarketingResource, GroupedCoMarketing);

/** A download link. It has no expiry when it is the URL of an externally hosted file. */
export const CoMarketingDownload = z.object({
  url: secret(
    z.url().meta({ description: 'The URL of the file', examples: ['https://cdn.example.com/spring-banner.pdf'] }),
  ),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the link expires; null if it does not expire', examples: ['2026-03-02T09:30:00.000Z'] }),
});
export const CoMarketingCounters = CoMarketingResource.pick({ downloads: true, shares: true });

export const withResourceId = z.object({ id: id('co_marketing_resource') });
export const CoMarketingUsage = z.object({ action: z.enum(['download', 'share']).describe('The action to count') });
/** Filters of a resource list, except the status. */
export const coMarketingQuery = listQuery(['createdAt', 'updatedAt', 'name']).extend({
  category: CoMarketingCategory.optional(),
  sourceType: CoMarketingSource.optional(),
  grouped: flag()
    .describe('Whether to return all matching resources by category, at most 1000, without pagination')
    .optional(),
});
export const noDownload = {
  no_download: [409, 'The resource has no file to download and no published landing page'],
} as const;

const writable = CoMarketingResource.pick({ name: true, category: true }).extend({
  description: text(2000).nullish(),
  fileId: id('file').nullish(),
  fileUrl: httpsUrl().nullish(),
  landingPageId: id('landing_page').nullish(),
  campaignId: id('campaign').nullish(),
  minTier: PartnerTier.nullish(),
  thumbnailUrl: httpsUrl().nullish(),
  shareEnabled: z.boolean().optional(),
  shareCaption: text(1000).nullish(),
});

// Events omit the share token, because anyone who has it can see the public page.
const change = {
  target: 'co_marketing_resource',
  data: z.object({ coMarketingResourceId: id('co_marketing_resource') }),
  record: CoMarketingResource.omit({ shareToken: true }),
} as const;

export const coMarketingCreated = event('co_marketing.created', {
  ...change,
  description: 'A co-marketing resource is created',
  action: 'co_marketing.create',
});
export const coMarketingUpdated = event('co_marketing.updated', {
  ...change,
  description: 'A co-marketing resource is updated',
  action: 'co_marketing.update',
});
export const coMarketingDeleted = event('co_marketing.deleted', {
  ...change,
  description: 'A co-marketing resource is deleted',
  action: 'co_marketing.delete',
});

const transitionErrors = { transition_refused: sharedErrors.transition_refused };

/** Needed because a resource publishes its source to partners, and with the share link to anyone. */
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
    feature: 'co_marketing',
    also: sourcePermissions,
    summary: 'Create a co-marketing resource',
    description:
      'The source depends on `sourceType`: `file` requires `fileId` or `fileUrl`, `landing-page` requires `landingPageId`, `campaign` requires `campaignId`. If `shareEnabled` is true, the public page `/s/<token>` shows the resource.',
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
    summary: 'List co-marketing resources',
    description:
      '`search` covers the name and the description. With `grouped=true`, `data` is an object with one array per category.',
    query: coMarketingQuery.extend({ status: CoMarketingStatus.optional() }),
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getCoMarketingResource: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:read',
    summary: 'Retrieve a co-marketing resource',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  updateCoMarketingResource: {
    method: 'PATCH',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:write',
    feature: 'co_marketing',
    also: sourcePermissions,
    summary: 'Update a co-marketing resource',
    description:
      '`shareEnabled: false` permanently revokes the share link; `true` creates a new one. `sourceType` cannot change. A `status` change follows the rules of archive and activate.',
    params: withResourceId,
    body: writable.partial().extend({ status: CoMarketingStatus.optional() }),
    reply: CoMarketingResource,
    message: 'Co-marketing resource updated',
    emits: [coMarketingUpdated],
    errors: transitionErrors,
  },
  archiveCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/archive',
    permission: 'co_marketing:write',
    summary: 'Archive a co-marketing resource',
    description:
      'The resource keeps its counters and its share token. The share link returns 404 until the resource is active again.',
    params: withResourceId,
    reply: CoMarketingResource,
    example: { status: 'archived', allowedTransitions: ['active'] },
    message: 'Co-marketing resource archived',
    emits: [coMarketingUpdated],
    errors: transitionErrors,
  },
  activateCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/activate',
    permission: 'co_marketing:write',
    feature: 'co_marketing',
    summary: 'Activate a co-marketing resource',
    description: 'Makes an archived resource visible to partners again.',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource activated',
    emits: [coMarketingUpdated],
    errors: transitionErrors,
  },
  deleteCoMarketingResource: {
    method: 'DELETE',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:delete',
    summary: 'Delete a co-marketing resource',
    description:
      'Permanently deletes the resource and its share link. The source file, landing page or campaign is kept.',
    params: withResourceId,
    reply: z.object({ id: id('co_marketing_resource'), deleted: z.literal(true).describe('Always true') }),
    message: 'Co-marketing resource deleted',
    emits: [coMarketingDeleted],
  },
  getCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id/download-url',
    permission: 'co_marketing:read',
    summary: 'Get a download link for a co-marketing resource',
    description:
      'Returns `fileUrl` if the resource has one, the address of a published landing page, otherwise a link to the file that expires after 15 minutes.',
    params: withResourceId,
    reply: CoMarketingDownload,
    message: 'Download link created',
    errors: noDownload,
  },
  recordCoMarketingUsage: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/usage',
    permission: 'co_marketing:write',
    feature: 'co_marketing',
    summary: 'Record a download or a share',
    description: 'Increments the download or share counter of the resource.',
    params: withResourceId,
    body: CoMarketingUsage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
