import { media, operations, redirect } from '@tandem/contract';
import { z } from 'zod';
import { CoMarketingDownload, CoMarketingResource, noDownload } from './co-marketing.ts';

/** The public fields of a shared resource. */
export const SharedResource = CoMarketingResource.pick({
  name: true,
  category: true,
  description: true,
  fileType: true,
  fileSize: true,
  thumbnailUrl: true,
  shareCaption: true,
});

const withToken = z.object({
  token: z
    .string()
    .max(100)
    .meta({ description: 'The share token', examples: ['ThisIsOnlyAnExampleOfATokenThatOpensAPage00'] }),
});

export const sharing = operations({
  getSharedResource: {
    method: 'GET',
    path: '/v1/public/co-marketing/:token',
    audience: 'public',
    summary: 'Retrieve a shared resource',
    description: 'The share token identifies the resource.',
    params: withToken,
    reply: SharedResource,
    message: 'Shared resource retrieved',
  },
  downloadSharedResource: {
    method: 'POST',
    path: '/v1/public/co-marketing/:token/download',
    audience: 'public',
    summary: 'Get a download link for a shared resource',
    description: 'Counts as a download.',
    params: withToken,
    reply: CoMarketingDownload,
    message: 'Download link created',
    emits: [],
    errors: noDownload,
  },
  showSharePage: {
    method: 'GET',
    path: '/s/:token',
    audience: 'public',
    summary: 'Show the public page of a shared resource',
    description: 'Returns an HTML page.',
    params: withToken,
    reply: media('text/html'),
    message: 'The HTML page',
  },
  followShareDownload: {
    method: 'GET',
    path: '/s/:token/download',
    audience: 'public',
    summary: 'Download a shared resource from its public page',
    description: 'Redirects to the file. Counts as a download.',
    params: withToken,
    reply: redirect(),
    message: 'A redirect to the file',
    errors: noDownload,
  },
});
