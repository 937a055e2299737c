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

const Category = oneOf(coMarketingCategories);
const SourceType = oneOf(sourceTypes);
const Status = oneOf(coMarketingStatuses);

export const CoMarketingResource = z.object({
  id: id('co_marketing_resource'),
  tenantId: id('tenant'),
  name: name(200),
  category: Category,
  sourceType: SourceType,
  description: text(2000).nullable(),
  /** The kind of file by its extension, such as pdf. */
  fileType: text(20).nullable(),
  /** For people, such as 1.4 MB. */
  fileSize: text(20).nullable(),
  fileUrl: webAddress().nullable(),
  fileId: id('file').nullable(),
  landingPageId: id('landing_page').nullable(),
  campaignId: id('campaign').nullable(),
  thumbnailUrl: webAddress().nullable(),
  shareEnabled: z.boolean(),
  /** Opens the page /s/<token>; null unless shareEnabled. */
  shareToken: z.string().nullable(),
  shareCaption: text(1000).nullable(),
  downloads: z.int(),
  shares: z.int(),
  status: Status,
  /** The statuses that this resource may move to now. */
  allowedTransitions: z.array(Status),
  createdBy: id('user').nullable(),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** Resources by category; every category is there. */
const Grouped = z.object(
  Object.fromEntries(coMarketingCategories.map((category) => [category, z.array(CoMarketingResource)])) as {
    [K in (typeof coMarketingCategories)[number]]: z.ZodArray<typeof CoMarketingResource>;
  },
);
export const coMarketingReply = pageOr(CoMarketingResource, Grouped);

/** Where material can be fetched; without an end when the address is not ours. */
export const CoMarketingDownload = z.object({ url: z.url(), expiresAt: timestamp().nullable() });
export const CoMarketingCounters = z.object({ downloads: z.int(), shares: z.int() });

export const withResourceId = z.object({ id: id('co_marketing_resource') });
export const Usage = z.object({ action: oneOf(['download', 'share']) });
/** What a list of material can be filtered by, apart from the status. */
export const coMarketingQuery = listQuery(['createdAt', 'updatedAt', 'name']).extend({
  category: Category.optional(),
  sourceType: SourceType.optional(),
  grouped: flag().describe('true: all that fits by category, at most 1000, without pagination').optional(),
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
    summary: 'Add material',
    description:
      'sourceType says what it is made from: file takes fileId or fileUrl, landing-page landingPageId, campaign campaignId. shareEnabled makes a token for the public page /s/<token>.',
    body: writable.extend({ sourceType: SourceType }),
    reply: CoMarketingResource,
    status: 201,
    message: 'Co-marketing resource created',
    emits: [coMarketingCreated],
  },
  listCoMarketingResources: {
    method: 'GET',
    path: '/v1/partners/co-marketing',
    permission: 'co_marketing:read',
    summary: 'List material',
    description: '`search` looks into name and description. With grouped=true `data` is an object with every category.',
    query: coMarketingQuery.extend({ status: Status.optional() }),
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getCoMarketingResource: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:read',
    summary: 'Retrieve material',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  updateCoMarketingResource: {
    method: 'PATCH',
    path: '/v1/partners/co-marketing/:id',
    permission: 'co_marketing:write',
    also: sourcePermissions,
    summary: 'Change material',
    description:
      'shareEnabled false ends the share link for good; true again makes a new one. sourceType stays. A status change follows the rules of archive and activate.',
    params: withResourceId,
    body: writable.partial().extend({ status: Status.optional() }),
    reply: CoMarketingResource,
    message: 'Co-marketing resource updated',
    emits: [coMarketingUpdated],
    errors: refused,
  },
  archiveCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/archive',
    permission: 'co_marketing:write',
    summary: 'Archive material',
    description: 'It keeps its counters and its token, but the share link answers 404 until it is active again.',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource archived',
    emits: [coMarketingUpdated],
    errors: refused,
  },
  activateCoMarketingResource: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/activate',
    permission: 'co_marketing:write',
    summary: 'Bring archived material back',
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
    summary: 'Delete material',
    description: 'For good, its share link included. The file, page or campaign it was made from stays.',
    params: withResourceId,
    reply: z.object({ id: id('co_marketing_resource'), deleted: z.literal(true) }),
    message: 'Co-marketing resource deleted',
    emits: [coMarketingDeleted],
  },
  getCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/co-marketing/:id/download-url',
    permission: 'co_marketing:read',
    summary: 'Get a link to download material',
    description: 'fileUrl as it is, otherwise a link to the file that works for 15 minutes.',
    params: withResourceId,
    reply: CoMarketingDownload,
    message: 'Download link created',
    errors: noDownload,
  },
  recordCoMarketingUsage: {
    method: 'POST',
    path: '/v1/partners/co-marketing/:id/usage',
    permission: 'co_marketing:write',
    summary: 'Count a download or a share',
    params: withResourceId,
    body: Usage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
