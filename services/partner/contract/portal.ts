import { id, knownErrors, operations, phone, portalRoles, secret, signedIn, text } from '@tandem/contract';
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
import { Partner, partnerUpdated } from './partners.ts';
import { notApproved, notConfirmed, PortalPartner, PortalSignIn } from './portal-sign-in.ts';
import {
  PortalEmail,
  PortalPassword,
  PortalUser,
  portalUserLoggedIn,
  portalUserPasswordChanged,
} from './portal-users.ts';
import { Tier } from './tiers.ts';

// Not `PortalPassword`: at sign-in a password that is too short gets the same error as any other wrong password.
const SignInPassword = secret(
  z
    .string()
    .min(1, { error: 'Must not be empty' })
    .max(200, { error: 'Must be at most 200 characters' })
    .meta({ examples: ['a long phrase is best'] }),
);

export const portal = operations({
  loginToPortal: {
    method: 'POST',
    path: '/v1/partners/portal/login',
    audience: 'public',
    whileSuspended: true,
    summary: 'Sign in to the partner portal',
    description:
      'The partner of the user must be approved. If it was approved with `sendInvite`, a password that was chosen with the application does not sign in until a link of a message replaces it, unless the address was confirmed before.',
    body: z.object({ email: PortalEmail, password: SignInPassword, tenant: id('tenant') }),
    reply: PortalSignIn,
    message: 'Signed in',
    emits: [portalUserLoggedIn],
    errors: {
      bad_credentials: [401, 'Invalid e-mail address or password'],
      too_many_failures: [429, 'Too many failed sign-in attempts. Wait before you try again.'],
      ...notApproved,
      ...notConfirmed,
    },
  },
  refreshPortal: {
    method: 'POST',
    path: '/v1/partners/portal/refresh',
    audience: 'public',
    whileSuspended: true,
    summary: 'Refresh a portal session',
    description: 'A refresh token can be used once. Using it again ends the session.',
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
    portalRoles,
    summary: 'Sign out of the partner portal',
    description: 'Ends the session that the access token belongs to.',
    reply: z.object({ signedOut: z.literal(true).describe('Always true') }),
    message: 'Signed out',
    emits: [],
  },
  getPortalMe: {
    method: 'GET',
    path: '/v1/partners/portal/me',
    audience: 'portal',
    permission: signedIn,
    portalRoles,
    summary: 'Retrieve the portal user',
    description: 'Returns the signed-in user, the partner and the benefits of its tier.',
    reply: z.object({
      user: PortalUser.describe('The signed-in user'),
      partner: PortalPartner.describe('The partner of the session'),
      tierBenefits: Tier.shape.benefits.meta({
        description: 'The benefits of the tier that the partner has',
        examples: [['A manager of your own']],
      }),
    }),
    message: 'Portal user retrieved',
  },
  updatePortalMe: {
    method: 'PATCH',
    path: '/v1/partners/portal/me',
    audience: 'portal',
    permission: signedIn,
    portalRoles,
    summary: 'Update the partner or the own password',
    description:
      'Only owners change the fields of the partner. Everybody changes their own password with `currentPassword`; the other sessions of the user end, and a notice is sent.',
    body: z.object({
      firstName: Partner.shape.firstName.optional(),
      lastName: Partner.shape.lastName.optional(),
      phone: phone().nullish(),
      company: text(200)
        .nullish()
        .meta({ examples: ['Clarke Consulting'] }),
      password: PortalPassword.optional(),
      currentPassword: SignInPassword.describe('The current password; required for a new one').optional(),
    }),
    reply: z.object({
      user: PortalUser.describe('The signed-in user'),
      partner: PortalPartner.describe('The partner of the session'),
    }),
    message: 'Portal user updated',
    emits: [partnerUpdated, portalUserPasswordChanged],
    errors: {
      portal_role: knownErrors.portal_role,
      too_many_failures: [429, 'Too many failed attempts. Wait before you try again.'],
    },
  },
  listPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing',
    audience: 'portal',
    permission: signedIn,
    portalRoles,
    summary: 'List co-marketing resources in the portal',
    description:
      'Returns only active resources, without those for higher tiers. With `grouped=true`, `data` is an object with one array per category.',
    query: coMarketingQuery,
    reply: coMarketingReply,
    message: 'Co-marketing resources retrieved',
  },
  getPortalCoMarketing: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id',
    audience: 'portal',
    permission: signedIn,
    portalRoles,
    summary: 'Retrieve a co-marketing resource in the portal',
    params: withResourceId,
    reply: CoMarketingResource,
    message: 'Co-marketing resource retrieved',
  },
  getPortalCoMarketingDownloadUrl: {
    method: 'GET',
    path: '/v1/partners/portal/co-marketing/:id/download-url',
    audience: 'portal',
    permission: signedIn,
    portalRoles,
    summary: 'Get a download link in the portal',
    description:
      'Returns `fileUrl` if the resource has one, otherwise a link to the file that expires after 15 minutes.',
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
    portalRoles,
    summary: 'Record a download or a share in the portal',
    description: 'Increments the download or share counter of the resource.',
    params: withResourceId,
    body: CoMarketingUsage,
    reply: CoMarketingCounters,
    message: 'Usage recorded',
    emits: [],
  },
});
