import { id, operations, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { AuthSession, failedSignInsPerHourMax, userLoggedIn, userLoggedOut, userLoginFailed } from './auth.ts';
import { Tenant } from './tenants.ts';
import { Email, User } from './users.ts';

const JsonWebKey = z.object({
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  kid: z.string(),
  use: z.literal('sig'),
  alg: z.literal('RS256'),
});

export const signIn = operations({
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    audience: 'public',
    summary: 'Sign in',
    description: `An access token lasts 15 minutes, the refresh token 30 days. After five failures within a minute for one address from one IP the answer is 429; an IPv6 network (/64) counts as one. The audit log records up to ${failedSignInsPerHourMax} failures per user and hour.`,
    body: z.object({
      email: Email,
      password: z.string().min(1, { error: 'Must not be empty' }).max(200, { error: 'Must be at most 200 characters' }),
      /** Needed when the address belongs to several tenants under the same password, or to more than five. */
      tenantId: id('tenant').optional(),
    }),
    reply: AuthSession.extend({ user: User, tenant: Tenant }),
    message: 'Signed in',
    emits: [userLoggedIn, userLoginFailed],
    errors: {
      bad_credentials: [401, 'Invalid e-mail address or password'],
      too_many_failures: [429, 'Too many failed sign-ins. Wait before the next attempt.'],
    },
  },
  refreshSession: {
    method: 'POST',
    path: '/v1/auth/refresh',
    audience: 'public',
    summary: 'Exchange a refresh token for new tokens',
    description: 'Each refresh token works once. Using one again ends the session it belongs to.',
    body: z.object({ refreshToken: z.string().min(1).max(200) }),
    reply: AuthSession,
    message: 'Tokens refreshed',
    emits: [userLoggedOut],
    errors: { bad_refresh_token: [401, 'Invalid, used or expired refresh token'] },
  },
  logout: {
    method: 'POST',
    path: '/v1/auth/logout',
    permission: signedIn,
    summary: 'Sign out',
    description: 'Ends the session of the access token. An API key has no session.',
    reply: z.object({ signedOut: z.literal(true) }),
    message: 'Signed out',
    emits: [userLoggedOut],
    errors: { no_session: [409, 'An API key has no session to end'] },
  },
  getMe: {
    method: 'GET',
    path: '/v1/auth/me',
    permission: signedIn,
    summary: 'Who is calling',
    description: 'The user signed in, or the creator of the API key, with what this credential may do.',
    reply: z.object({
      user: User,
      tenant: Tenant,
      role: z.object({ id: id('role'), name: z.string() }),
      permissions: z.array(z.string()),
      /** The API key in use; null with an access token. */
      keyId: id('api_key').nullable(),
      environment: z.enum(['live', 'sandbox']),
    }),
    message: 'Caller retrieved',
  },
  getJwks: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    audience: 'public',
    envelope: 'none',
    summary: 'The public keys that verify access tokens',
    reply: z.object({ keys: z.array(JsonWebKey) }),
    message: 'Keys retrieved',
  },
});
