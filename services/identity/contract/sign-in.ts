import { Environment, id, operations, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { AuthSession, userLoggedIn, userLoggedOut, userLoginFailed } from './auth.ts';
import { Tenant } from './tenants.ts';
import { Email, User } from './users.ts';

/** A public key (RFC 7517). */
export const JsonWebKey = z.object({
  kty: z.literal('RSA').describe('The key type'),
  n: z.string().meta({
    description: 'The modulus, in base64url',
    examples: ['u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u'],
  }),
  e: z.string().meta({ description: 'The exponent, in base64url', examples: ['AQAB'] }),
  kid: z.string().meta({ description: 'The id of the key, as in the `kid` header of a token', examples: ['2026-03'] }),
  use: z.literal('sig').describe('The use of the key'),
  alg: z.literal('RS256').describe('The signature algorithm'),
});

export const signIn = operations({
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    audience: 'public',
    summary: 'Sign in',
    description:
      'Access tokens are valid for 15 minutes, and refresh tokens are valid for 30 days. After five failed attempts within a minute for one e-mail address from one IP address (or IPv6 /64 network), further attempts fail with 429.',
    body: z.object({
      email: Email,
      password: z
        .string()
        .min(1, { error: 'Must not be empty' })
        .max(200, { error: 'Must be at most 200 characters' })
        .meta({ examples: ['a long phrase is best'] }),
      tenantId: id('tenant')
        .optional()
        .describe(
          'The tenant to sign in to. Required if the address belongs to several tenants with the same password, or to more than five tenants.',
        ),
    }),
    reply: AuthSession.extend({
      user: User.describe('The user who signed in'),
      tenant: Tenant.describe('The tenant of the user'),
    }),
    message: 'Signed in',
    emits: [userLoggedIn, userLoginFailed],
    errors: {
      bad_credentials: [401, 'Invalid e-mail address or password'],
      too_many_failures: [429, 'Too many failed sign-in attempts. Wait before you try again.'],
    },
  },
  refreshSession: {
    method: 'POST',
    path: '/v1/auth/refresh',
    audience: 'public',
    summary: 'Exchange a refresh token for new tokens',
    description: 'A refresh token can be used once. Using it again ends the session.',
    body: z.object({
      refreshToken: z
        .string()
        .min(1)
        .max(200)
        .meta({ examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'] }),
    }),
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
    reply: z.object({ signedOut: z.literal(true).describe('Always true') }),
    message: 'Signed out',
    emits: [userLoggedOut],
    errors: { no_session: [409, 'An API key has no session; sign out with an access token'] },
  },
  getMe: {
    method: 'GET',
    path: '/v1/auth/me',
    permission: signedIn,
    summary: 'Retrieve the current caller',
    description: 'Returns the signed-in user or the creator of the API key, with the permissions of this credential.',
    reply: z.object({
      user: User.describe('The signed-in user, or the creator of the API key'),
      tenant: Tenant.describe('The tenant of the user'),
      role: z
        .object({ id: id('role'), name: z.string().meta({ examples: ['Sales'] }) })
        .describe('The role of the user'),
      permissions: z
        .array(z.string())
        .meta({ description: 'The permissions of the caller', examples: [['leads:write']] }),
      keyId: id('api_key').nullable().describe('The API key of the request; null with an access token'),
      environment: Environment,
    }),
    message: 'Caller retrieved',
  },
  getJwks: {
    method: 'GET',
    path: '/.well-known/jwks.json',
    audience: 'public',
    envelope: 'none',
    summary: 'List the public keys',
    description: 'Use these keys to verify the signatures of access tokens (RFC 7517).',
    reply: z.object({ keys: z.array(JsonWebKey).describe('The current public keys') }),
    message: 'Keys retrieved',
  },
});
