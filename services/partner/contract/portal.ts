import { id, operations, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import {
  CoMarketingCounters,
  CoMarketingDownload,
  CoMarketingResource,
  coMarketingQuery,
  coMarketingReply,
  noDownload,
  Usage,
  withResourceId,
} from './co-marketing.ts';
import { Partner } from './partners.ts';
import { PortalEmail, PortalUser, portalUserLoggedIn } from './portal-users.ts';

/** What a partner sees of itself. */
export const PortalPartner = Partner.omit({ allowedTransitions: true, customFields: true, createdBy: true });

/** The tokens of somebody who signed in to a portal. */
export const PortalSignIn = z.object({
  token: z.string(),
  expiresAt: timestamp(),
  refreshToken: z.string(),
  partner: PortalPartner,
});

/** However short: what is wrong with a password at sign-in is only that it is wrong. */
const Guess = z.string().min(1, { error: 'Must not be empty' }).max(200, { error: 'Must be at most 200 characters' });

const notApproved = { partner_not_approved: [403, 'The partner is not approved'] } as const;

export const portal = operations({
  loginToPortal: {
    method: 'POST',
    path: '/v1/partners/portal/login',
    audience: 'public',
    summary: 'Sign in to the portal of a partner',
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
    summary: 'Exchange a refresh token of the portal for new tokens',
    description: 'A refresh token works once; the second use ends the session.',
    body: z.object({ refreshToken: z.string({ error: 'Must be a string' }).min(1, 'Must not be empty').max(200) }),
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
    summary: 'Sign out of the portal',
    reply: z.object({ signedOut: z.literal(true) }),
    message: 'Signed out',
    emits: [],
  },
  getPortalMe: {
    method: 'GET',
    path: '/v1/partners/portal/me',
    audience: 'portal',
    permission: signedIn,
    summary: 'Who is signed in, and for which partner',
    reply: z.object({ user: PortalUser, partner: PortalPartner }),
    message: 'Portal user retrieved',
  },
  listPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing',
    audience: 'portal',
    permission: signedIn,
    summary: 'List the material for partners',
    description: 'What is active. With grouped=true `data` is an object with every category.',
    query: coMarketingQuery,
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id',
    audience: 'portal',
    permission: signedIn,
    summary: 'Retrieve material for partners',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  getPortalCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id/download-url',
    audience: 'portal',
    permission: signedIn,
    summary: 'Get a link to download material for partners',
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
    summary: 'Count a download or a share by a partner',
    params: withResourceId,
    body: Usage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
