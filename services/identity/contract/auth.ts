import { event, id, secret, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** At least 8 characters (spec). The upper bound limits the CPU time for hashing. */
/** The minimum length of a password. */
export const passwordLengthMin = 8;

export const Password = secret(
  z
    .string()
    .min(passwordLengthMin, { error: `Must be at least ${passwordLengthMin} characters` })
    .max(200, { error: 'Must be at most 200 characters' })
    .refine((given) => given.isWellFormed() && !given.includes('\0'), {
      error: 'Must not contain NUL characters or unpaired surrogates',
    })
    .meta({ examples: ['a long phrase is best'] }),
);

/** The issuer and audience in every access token. */
export const tokenIssuer = 'tandem';
export const tokenAudience = 'platform';
export const portalAudience = 'portal';

/** The tokens of a session. */
export const AuthSession = z.object({
  accessToken: z.string().meta({
    description: 'The access token; send it as `Authorization: Bearer …`',
    examples: ['eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl'],
  }),
  refreshToken: z.string().meta({
    description: 'The refresh token; exchange it once for new tokens',
    examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'],
  }),
  tokenType: z.literal('Bearer').describe('The authorization scheme of the access token'),
  expiresIn: z.int().meta({ description: 'The number of seconds until the access token expires', examples: [900] }),
});

/** The challenge after a correct password, if a second factor is required. */
export const LoginChallenge = z.object({
  challenge: z
    .enum(['totp', 'totp_enrollment'])
    .describe(
      'The missing step. `totp`: send a code to `POST /v1/auth/login/totp`. `totp_enrollment`: the tenant requires a second factor and the user has none; set it up by `POST /v1/auth/login/totp/enroll` first',
    ),
  challengeToken: z.string().meta({
    description: 'The token for these operations; it proves that the password was correct',
    examples: ['ThisIsOnlyAnExampleOfAChallengeToken00000000'],
  }),
  expiresIn: z.int().meta({ description: 'The number of seconds until the token expires', examples: [300] }),
});

/** The cookie of a browser session. */
export const refreshCookie = 'tandem_refresh';

/** How a user signed in. */
export const SignInMethod = z
  .enum(['password', 'totp', 'recovery_code', 'sso', 'sign_up', 'invitation'])
  .describe('How the user signed in. `totp` and `recovery_code` follow a correct password');

/** The session record in events, without tokens. */
export const Session = z.object({
  id: id('session'),
  userId: id('user'),
  createdAt: timestamp(),
  expiresAt: timestamp(),
  endedAt: timestamp().nullable(),
  endReason: text(50).nullable(),
});

export const userLoggedIn = event('user.logged_in', {
  description: 'A user signs in',
  action: 'user.login',
  target: 'session',
  data: z.object({ userId: id('user'), sessionId: id('session'), method: SignInMethod.nullable() }),
  record: Session,
});

/** Maximum number of recorded failed sign-ins per user and hour, so that an attacker cannot flood the audit log. */
export const failedSignInsPerHourMax = 10;

export const userLoginFailed = event('user.login_failed', {
  description: 'A sign-in attempt for a user fails',
  action: 'user.login',
  target: 'user',
  outcome: 'failure',
  data: z.object({ userId: id('user') }),
  record: z.object({ id: id('user') }),
});

export const userLoggedOut = event('user.logged_out', {
  description: 'A session ends: the user signs out, or the platform ends it',
  action: 'user.logout',
  target: 'session',
  data: z.object({
    userId: id('user'),
    sessionId: id('session'),
    reason: z.enum([
      'logout',
      'ended',
      'refresh_reused',
      'totp_required',
      'sso_required',
      'totp_reset',
      'sso_unlinked',
      'suspended',
      'deactivated',
      'password_changed',
    ]),
  }),
  record: Session,
});
