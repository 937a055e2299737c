import { Environment, id, operations, signedIn } from '@tandem/contract';
import { z } from 'zod';
import { AuthSession, LoginChallenge, refreshCookie, userLoggedIn, userLoggedOut, userLoginFailed } from './auth.ts';
import { notificationCreated } from './notification.ts';
import { Tenant } from './tenants.ts';
import { recoveryCodeUsed, SecondFactorCode, TotpEnrollment, totpEnabled } from './totp.ts';
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

const LoginBody = z.object({
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
});

const RefreshToken = z
  .string()
  .min(1, { error: 'Must not be empty' })
  .max(200, { error: 'Must be at most 200 characters' })
  .meta({
    description: 'A refresh token of the session; it is exchanged for the next one',
    examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'],
  });

const loginErrors = {
  bad_credentials: [401, 'Invalid e-mail address or password'],
  sso_required: [403, 'Your company requires single sign-on; begin at /v1/auth/sso/start'],
  too_many_failures: [429, 'Too many failed sign-in attempts. Wait before you try again.'],
} as const;

const refreshErrors = {
  bad_refresh_token: [401, 'Invalid, used or expired refresh token'],
  totp_required: [401, 'The tenant requires a second factor; sign in again to set it up'],
  sso_required: loginErrors.sso_required,
} as const;

/** The response to a complete sign-in. */
export const SignedIn = AuthSession.extend({
  user: User.describe('The user who signed in'),
  tenant: Tenant.describe('The tenant of the user'),
});

const ChallengeToken = z
  .string()
  .min(1, { error: 'Must not be empty' })
  .max(1_000, { error: 'Must be at most 1000 characters' })
  .meta({
    description: 'The `challengeToken` of the login',
    examples: ['ThisIsOnlyAnExampleOfAChallengeToken00000000'],
  });

const challengeErrors = {
  bad_challenge: [401, 'Invalid or expired challenge token; sign in again'],
} as const;

const cookies = {
  [refreshCookie]:
    'The refresh token of a browser session: `HttpOnly; SameSite=Strict; Path=/v1/auth`, valid for 30 days. Requests with an `Origin` must come from the origin of the API or one of its CORS origins.',
};

export const signIn = operations({
  login: {
    method: 'POST',
    path: '/v1/auth/login',
    audience: 'public',
    whileSuspended: true,
    summary: 'Sign in',
    description:
      'Access tokens are valid for 15 minutes, and refresh tokens are valid for 30 days. After five failed attempts within a minute for one e-mail address from one IP address (or IPv6 /64 network), further attempts fail with 429. If the user has a second factor, or the tenant requires one, the response is a challenge instead of tokens.',
    body: LoginBody,
    reply: z.union([SignedIn, LoginChallenge]),
    message: 'Signed in',
    emits: [userLoggedIn, userLoginFailed],
    errors: loginErrors,
  },
  loginTotp: {
    method: 'POST',
    path: '/v1/auth/login/totp',
    audience: 'public',
    whileSuspended: true,
    summary: 'Complete a sign-in with the second factor',
    description:
      'After `totp_enrollment`, the first code also turns the second factor on. After five wrong codes of a user within a minute, further attempts fail with 429.',
    body: z.object({ challengeToken: ChallengeToken, code: SecondFactorCode }),
    reply: SignedIn,
    message: 'Signed in',
    emits: [userLoggedIn, userLoginFailed, totpEnabled, recoveryCodeUsed, notificationCreated],
    errors: {
      ...challengeErrors,
      bad_code: [422, 'The code is wrong, expired, or was used before'],
      no_enrollment: [409, 'There is no second factor to prove; enrol one by POST /v1/auth/login/totp/enroll'],
      too_many_failures: [429, 'Too many wrong codes. Wait before you try again.'],
    },
  },
  enrollTotpAtLogin: {
    method: 'POST',
    path: '/v1/auth/login/totp/enroll',
    audience: 'public',
    whileSuspended: true,
    summary: 'Enrol a second factor during sign-in',
    description:
      'For users without a second factor in a tenant that requires one. Sending it again replaces the secret until a code is proven.',
    body: z.object({ challengeToken: ChallengeToken }),
    reply: TotpEnrollment,
    message: 'Second factor created',
    emits: [],
    errors: { ...challengeErrors, totp_on: [409, 'The user has a second factor; send a code of it'] },
  },
  refreshSession: {
    method: 'POST',
    path: '/v1/auth/refresh',
    audience: 'public',
    whileSuspended: true,
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token can be used once; within 30 seconds, using it again returns the same new refresh token, so that a lost response or a second tab does no harm. Using it later ends the session, and so does using it after the tenant has enforced single sign-on (`sso_required`) or required a second factor (`totp_required`) for a session that began without. Without `refreshToken`, the cookie of the browser session is used and replaced, and the response contains the access token only.',
    cookies,
    body: z.object({ refreshToken: RefreshToken.optional() }),
    reply: AuthSession.extend({
      refreshToken: AuthSession.shape.refreshToken
        .optional()
        .meta({ description: 'The next refresh token; absent if the cookie was used' }),
    }),
    message: 'Tokens refreshed',
    emits: [userLoggedOut],
    errors: refreshErrors,
  },
  createBrowserSession: {
    method: 'POST',
    path: '/v1/auth/session',
    audience: 'public',
    whileSuspended: true,
    summary: 'Open a browser session',
    description:
      'Keeps the refresh token in a cookie that scripts cannot read, and returns the access token only. Send either `refreshToken`, which is exchanged, or `email` and `password`. `POST /v1/auth/refresh` without a body returns further access tokens. If signing in needs a second factor, the response is a challenge and sets no cookie; send the refresh token of `POST /v1/auth/login/totp` then.',
    cookies,
    body: LoginBody.partial().extend({ refreshToken: RefreshToken.optional() }),
    reply: z.union([AuthSession.omit({ refreshToken: true }), LoginChallenge]),
    message: 'Session opened',
    emits: [userLoggedIn, userLoginFailed, userLoggedOut],
    errors: { ...loginErrors, ...refreshErrors },
  },
  endBrowserSession: {
    method: 'DELETE',
    path: '/v1/auth/session',
    audience: 'public',
    whileSuspended: true,
    summary: 'End the browser session',
    description: 'Ends the session of the cookie, if there is one, and deletes the cookie.',
    cookies,
    reply: z.object({ signedOut: z.literal(true).describe('Always true') }),
    message: 'Signed out',
    emits: [userLoggedOut],
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
