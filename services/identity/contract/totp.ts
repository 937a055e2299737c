import { event, id, operations, secret, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { userLoggedOut } from './auth.ts';
import { notificationCreated } from './notification.ts';

export const totpDigits = 6;
export const recoveryCodesTotal = 10;

const record = z.object({ id: id('user') });

export const totpEnabled = event('user.totp_enabled', {
  description: 'A user turns the second factor on, or replaces it',
  action: 'user.enable_totp',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record,
});

export const totpDisabled = event('user.totp_disabled', {
  description: 'The second factor of a user is turned off, by the user or by an administrator',
  action: 'user.disable_totp',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record,
});

export const recoveryCodeUsed = event('user.recovery_code_used', {
  description: 'A user proves the second factor with a recovery code',
  action: 'user.use_recovery_code',
  target: 'user',
  data: z.object({ userId: id('user'), left: z.int() }),
  record,
});

/** A six-digit code, or a recovery code; spaces and dashes do not count. */
export const SecondFactorCode = secret(
  z
    .string()
    .trim()
    .min(1, { error: 'Must not be empty' })
    .max(40, { error: 'Must be at most 40 characters' })
    .meta({
      description: 'The current code of the authenticator app, or a recovery code. Each is accepted once.',
      examples: ['492039'],
    }),
);

/** The secret of a new enrolment; shown once. */
export const TotpEnrollment = z.object({
  otpauthUri: secret(
    z.string().meta({
      description: 'The secret for an authenticator app, usually shown as a QR code',
      examples: [
        'otpauth://totp/Tandem%20Analytical%20Engines:ada%40example.com?issuer=Tandem%20Analytical%20Engines&secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      ],
    }),
  ),
  secret: secret(z.string().meta({ description: 'The same secret, to type it', examples: ['JBSWY3DPEHPK3PXP'] })),
  recoveryCodes: secret(
    z.array(z.string()).meta({
      description: 'Ten codes that each replace a code of the app once. They are not shown again',
      examples: [['k7pq-3mzr-wd8h-x2fa']],
    }),
  ),
});

const codeErrors = {
  bad_code: [422, 'The code is wrong, expired, or was used before'],
  too_many_failures: [429, 'Too many wrong codes. Wait before you try again.'],
} as const;

export const totp = operations({
  getTotp: {
    method: 'GET',
    path: '/v1/users/me/totp',
    permission: signedIn,
    peopleOnly: true,
    summary: "Retrieve the state of the current user's second factor",
    reply: z.object({
      enabled: z.boolean().describe('Whether signing in requires a code'),
      enabledAt: timestamp()
        .nullable()
        .meta({
          description: 'When the second factor was turned on; null if it is off',
          examples: ['2026-03-04T08:02:47.000Z'],
        }),
      recoveryCodesLeft: z.int().meta({ description: 'The number of unused recovery codes', examples: [9] }),
      required: z.boolean().describe('Whether the tenant requires a second factor'),
    }),
    message: 'Second factor retrieved',
  },
  startTotp: {
    method: 'POST',
    path: '/v1/users/me/totp',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: 'Enrol a second factor',
    description:
      'Returns a new secret (RFC 6238: SHA-1, six digits, 30 seconds) and ten recovery codes, which are not shown again. They take effect when `POST /v1/users/me/totp/confirm` proves a code within an hour; until then a previous second factor stays in use. Replacing one that is in use requires `code`.',
    body: z.object({ code: SecondFactorCode.optional() }),
    reply: TotpEnrollment,
    status: 201,
    message: 'Second factor created',
    emits: [recoveryCodeUsed, notificationCreated],
    errors: {
      ...codeErrors,
      code_required: [409, 'A second factor is in use; send a code of it to replace it'],
    },
  },
  confirmTotp: {
    method: 'POST',
    path: '/v1/users/me/totp/confirm',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: 'Turn the second factor on',
    description: 'Proves the app that was set up, and replaces a previous second factor.',
    body: z.object({ code: SecondFactorCode }),
    reply: z.object({ enabled: z.literal(true).describe('Always true') }),
    message: 'Second factor enabled',
    emits: [totpEnabled],
    errors: {
      ...codeErrors,
      no_enrollment: [409, 'There is nothing to confirm, or it is older than an hour; start the enrolment again'],
    },
  },
  disableTotp: {
    method: 'DELETE',
    path: '/v1/users/me/totp',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: 'Turn the second factor off',
    description: 'Requires a code of it. Refused while the tenant requires a second factor.',
    body: z.object({ code: SecondFactorCode }),
    reply: z.object({ enabled: z.literal(false).describe('Always false') }),
    message: 'Second factor disabled',
    emits: [totpDisabled, recoveryCodeUsed, notificationCreated],
    errors: {
      ...codeErrors,
      totp_off: [409, 'The user has no second factor'],
      totp_required: [409, 'The tenant requires a second factor; replace it instead'],
    },
  },
  resetUserTotp: {
    method: 'DELETE',
    path: '/v1/users/:id/totp',
    permission: 'users:manage',
    inSandbox: 'runs_in_live',
    summary: "Remove a user's second factor",
    description:
      'For a user who lost the app and the recovery codes. Ends all sessions of the user. You cannot remove the second factor of a user whose role has permissions that you do not have, or your own.',
    params: z.object({ id: id('user') }),
    reply: z.object({ id: id('user'), deleted: z.literal(true).describe('Always true') }),
    message: 'Second factor removed',
    emits: [totpDisabled, userLoggedOut],
    errors: { totp_off: [409, 'The user has no second factor'] },
  },
});
