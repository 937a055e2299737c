import { event, id, operations, redirect } from '@tandem/contract';
import { z } from 'zod';
import { refreshCookie, userLoggedIn, userLoginFailed } from './auth.ts';
import { invitationAccepted, invitationRevoked } from './invitations.ts';
import { notificationCreated } from './notification.ts';
import { teamMembersChanged } from './team.ts';
import { userCreated } from './users.ts';

/** The cookie that binds the callback of the identity provider to the browser that began the sign-in. */
export const ssoCookie = 'tandem_sso';

export const userLinked = event('user.sso_linked', {
  description: 'A user signs in through an identity provider for the first time',
  action: 'user.link_sso',
  target: 'user',
  data: z.object({ userId: id('user'), issuer: z.string() }),
  record: z.object({ id: id('user') }),
});

const off = { sso_off: [404, 'Single sign-on is not set up here; sign in with a password'] } as const;

export const ssoSignIn = operations({
  startSso: {
    method: 'GET',
    path: '/v1/auth/sso/start',
    audience: 'public',
    summary: 'Begin single sign-on',
    description:
      'A browser opens this address. Redirects to the identity provider of the tenant that has proven the domain of `email`, or of the tenant named by `slug`.',
    query: z.object({
      email: z
        .string()
        .max(254, { error: 'Must be at most 254 characters' })
        .optional()
        .describe('The e-mail address of the person'),
      slug: z
        .string()
        .max(64, { error: 'Must be at most 64 characters' })
        .optional()
        .describe('The slug of the tenant'),
      returnTo: z
        .string()
        .max(500, { error: 'Must be at most 500 characters' })
        .regex(/^\/(?![/\\])[!-[\]-~]*$/, { error: 'Must be a path of printable ASCII characters, such as /leads' })
        .optional()
        .describe('The path to return to after the sign-in'),
    }),
    cookies: { [ssoCookie]: 'Ties the sign-in to this browser for ten minutes' },
    reply: redirect(),
    message: 'A redirect to the identity provider',
    timeoutMs: 15_000,
    errors: { ...off, sso_failed: [502, 'The identity provider could not be reached. Try again later'] },
  },
  finishSso: {
    method: 'GET',
    path: '/v1/auth/sso/callback',
    audience: 'public',
    summary: 'Complete single sign-on',
    description:
      'The identity provider redirects to this address. Opens a browser session, and redirects to the path that the sign-in began with.',
    query: z.object({
      code: z
        .string()
        .max(4_000, { error: 'Must be at most 4000 characters' })
        .optional()
        .describe('The code of the provider'),
      state: z
        .string()
        .max(500, { error: 'Must be at most 500 characters' })
        .optional()
        .describe('The state of the sign-in'),
      iss: z.string().max(500, { error: 'Must be at most 500 characters' }).optional().describe('The issuer'),
      session_state: z.string().max(500, { error: 'Must be at most 500 characters' }).optional().describe('Ignored'),
      scope: z.string().max(1_000, { error: 'Must be at most 1000 characters' }).optional().describe('Ignored'),
      error: z
        .string()
        .max(200, { error: 'Must be at most 200 characters' })
        .optional()
        .describe('The error of the provider'),
      error_description: z
        .string()
        .max(2_000, { error: 'Must be at most 2000 characters' })
        .optional()
        .describe('The description of this error'),
    }),
    cookies: {
      [ssoCookie]: 'Ties the sign-in to this browser',
      [refreshCookie]: 'The refresh token of the browser session',
    },
    reply: redirect(),
    message: 'A redirect to the page that the sign-in began with',
    emits: [
      userLoggedIn,
      userLoginFailed,
      userCreated,
      userLinked,
      invitationAccepted,
      invitationRevoked,
      teamMembersChanged,
      notificationCreated,
    ],
    timeoutMs: 20_000,
    errors: {
      ...off,
      sso_expired: [400, 'This sign-in has expired, was completed before, or began in another browser. Start again'],
      sso_refused: [403, 'The identity provider refused the sign-in'],
      sso_failed: [502, 'The identity provider could not be reached, or gave an invalid answer. Try again later'],
      sso_email_unverified: [
        403,
        'The identity provider does not confirm your e-mail address; contact its administrator',
      ],
      sso_domain_unproven: [
        403,
        'Your company has not proven the domain of your e-mail address; contact your administrator',
      ],
      sso_no_account: [403, 'You have no account here; ask your administrator for an invitation'],
      email_taken: [409, 'Your account was created a moment ago; sign in again'],
      sso_not_allowed: [403, 'Your account cannot sign in this way; contact your administrator'],
    },
  },
});
