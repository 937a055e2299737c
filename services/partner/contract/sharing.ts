import { media, operations, redirect } from '@tandem/contract';
import { z } from 'zod';
import { CoMarketingDownload, CoMarketingResource, noDownload } from './co-marketing.ts';

/** What anybody with the link sees. */
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
    summary: 'Retrieve shared material',
    description: 'Needs only the share token.',
    params: withToken,
    reply: SharedResource,
    message: 'Shared resource retrieved',
  },
  downloadSharedResource: {
    method: 'POST',
    path: '/v1/public/co-marketing/:token/download',
    audience: 'public',
    summary: 'Get a download link for shared material',
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
    summary: 'Show the page of shared material',
    description: 'Answers with an HTML page for people.',
    params: withToken,
    reply: media('text/html'),
    message: 'Page',
  },
  followShareDownload: {
    method: 'GET',
    path: '/s/:token/download',
    audience: 'public',
    summary: 'Download shared material from its page',
    description: 'Redirects to the file. Counts as a download.',
    params: withToken,
    reply: redirect(),
    message: 'Download',
    errors: noDownload,
  },
});
