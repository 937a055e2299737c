import { id, operations, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  CoMarketingCounters,
  CoMarketingDownload,
  CoMarketingResource,
  CoMarketingUsage,
  coMarketingQuery,
  coMarketingReply,
  noDownload,
  withResourceId,
} from './co-marketing.ts';
import { Partner } from './partners.ts';
import { PortalEmail, PortalUser, portalUserLoggedIn } from './portal-users.ts';

/** What a partner sees of itself. */
export const PortalPartner = Partner.omit({ allowedTransitions: true, customFields: true, createdBy: true });

/** The tokens of somebody who signed in to a portal. */
export const PortalSignIn = z.object({
  token: z.string().meta({
    description: 'The access token of the session',
    examples: ['eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl'],
  }),
  expiresAt: timestamp().meta({ description: 'When the token expires', examples: ['2026-03-02T09:30:00.000Z'] }),
  refreshToken: z.string().meta({
    description: 'Exchange it once for new tokens',
    examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'],
  }),
  partner: PortalPartner.describe('The partner of the session'),
});

/** However short: what is wrong with a password at sign-in is only that it is wrong. */
const Guess = z
  .string()
  .min(1, { error: 'Must not be empty' })
  .max(200, { error: 'Must be at most 200 characters' })
  .meta({ examples: ['a long phrase is best'] });

const notApproved = { partner_not_approved: [403, 'The partner is not approved'] } as const;

export const portal = operations({
  loginToPortal: {
    method: 'POST',
    path: '/v1/partners/portal/login',
    audience: 'public',
    summary: 'Sign in to the partner portal',
    description: 'The partner must be approved.',
    body: z.object({ email: PortalEmail, password: Guess, tenant: id('tenant') }),
    reply: PortalSignIn,
    message: 'Signed in',
    emits: [portalUserLoggedIn],
    errors: {
      bad_credentials: [401, 'Wrong e-mail address or password'],
      too_many_failures: [429, 'Too many failed attempts; wait and try again'],
      ...notApproved,
    },
  },
  refreshPortal: {
    method: 'POST',
    path: '/v1/partners/portal/refresh',
    audience: 'public',
    summary: 'Refresh a portal session',
    description: 'A refresh token works once. Using it again ends the session.',
    body: z.object({
      refreshToken: z
        .string({ error: 'Must be a string' })
        .min(1, 'Must not be empty')
        .max(200)
        .meta({ examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'] }),
    }),
    reply: PortalSignIn,
    message: 'Tokens refreshed',
    emits: [],
    errors: { bad_refresh_token: [401, 'Invalid, used or expired refresh token'], ...notApproved },
  },
  logoutFromPortal: {
    method: 'POST',
    path: '/v1/partners/portal/logout',
    audience: 'portal',
    permission: signedIn,
    summary: 'Sign out of the partner portal',
    description: 'Ends the session of the token.',
    reply: z.object({ signedOut: z.literal(true).describe('Always true') }),
    message: 'Signed out',
    emits: [],
  },
  getPortalMe: {
    method: 'GET',
    path: '/v1/partners/portal/me',
    audience: 'portal',
    permission: signedIn,
    summary: 'Retrieve the portal user',
    description: 'Returns the user who signed in and the partner.',
    reply: z.object({
      user: PortalUser.describe('The user who is signed in'),
      partner: PortalPartner.describe('The partner of the session'),
    }),
    message: 'Portal user retrieved',
  },
  listPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing',
    audience: 'portal',
    permission: signedIn,
    summary: 'List co-marketing material in the portal',
    description: 'Returns active material. With `grouped=true`, `data` is an object with every category.',
    query: coMarketingQuery,
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id',
    audience: 'portal',
    permission: signedIn,
    summary: 'Retrieve co-marketing material in the portal',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  getPortalCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id/download-url',
    audience: 'portal',
    permission: signedIn,
    summary: 'Get a download link in the portal',
    description: 'Returns `fileUrl` if there is one, otherwise a link to the file that works for 15 minutes.',
    params: withResourceId,
    reply: CoMarketingDownload,
    message: 'Download link created',
    errors: noDownload,
  },
  recordPortalCoMarketingUsage: {
    method: 'POST',
    path: '/v1/partners/portal/co-marketing/:id/usage',
    audience: 'portal',
    permission: signedIn,
    summary: 'Record a download or a share in the portal',
    description: 'Adds one to the counter of the material.',
    params: withResourceId,
    body: CoMarketingUsage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
