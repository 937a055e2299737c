import { event, id, operations, secret, signedIn, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Password, userLoggedOut } from './auth.ts';
import { Email, User, userUpdated } from './users.ts';

const tooManyFailures = {
  too_many_failures: [429, 'Too many failed attempts. Wait before you try again.'],
} as const;
export const mailLimit = {
  mail_limit: [429, 'The tenant has sent its maximum number of messages of this day (UTC); try again tomorrow'],
} as const;

/** How long links in account mail are valid. */
export const linkHours = { password_reset: 0.5, email_verification: 72, email_change: 24 } as const;

/** Maximum number of links of one purpose that a user is sent within an hour. */
export const linksPerHourMax = 3;

export const LinkToken = z
  .string()
  .min(1, { error: 'Must not be empty' })
  .max(1_000, { error: 'Must be at most 1000 characters' })
  .meta({ description: 'The token of the link in the message', examples: ['ThisIsOnlyAnExampleOfALinkToken'] });

const NewPassword = secret(Password.meta({ description: 'The new password', examples: ['a long phrase is best'] }));
const CurrentPassword = secret(
  z
    .string()
    .min(1, { error: 'Must not be empty' })
    .max(200, { error: 'Must be at most 200 characters' })
    .meta({ description: 'The current password', examples: ['a long phrase is best'] }),
);

const userRecord = z.object({ id: id('user') });

export const userPasswordResetRequested = event('user.password_reset_requested', {
  description: 'A link to reset the password of a user is sent',
  action: 'user.request_password_reset',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record: userRecord,
});

export const userPasswordChanged = event('user.password_changed', {
  description: 'The password of a user is changed or reset',
  action: 'user.change_password',
  target: 'user',
  data: z.object({ userId: id('user'), by: z.enum(['user', 'link', 'administrator']) }),
  record: userRecord,
});

export const userEmailVerified = event('user.email_verified', {
  description: 'A user proves their e-mail address',
  action: 'user.verify_email',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record: userRecord,
});

export const userEmailChanged = event('user.email_changed', {
  description: 'A user changes their e-mail address, after proving the new one',
  action: 'user.change_email',
  target: 'user',
  data: z.object({ userId: id('user') }),
  record: userRecord,
});

export const account = operations({
  forgotPassword: {
    method: 'POST',
    path: '/v1/auth/password/forgot',
    audience: 'public',
    whileSuspended: true,
    summary: 'Request a link to reset a password',
    description:
      'The answer is the same for every address. If it belongs to active users, each of their tenants sends a link that is valid for 30 minutes; at most three links per user and hour.',
    body: z.object({
      email: Email,
      tenantId: id('tenant')
        .optional()
        .describe('Sends the link for this tenant only. Required if the address belongs to more than five tenants.'),
    }),
    reply: z.object({ accepted: z.literal(true).describe('Always true') }),
    status: 202,
    message: 'If the address has an account, a message is on its way',
    emits: [userPasswordResetRequested],
    errors: tooManyFailures,
  },
  resetPassword: {
    method: 'POST',
    path: '/v1/auth/password/reset',
    audience: 'public',
    summary: 'Reset a password',
    description:
      'A link works once. All sessions of the user end, and other links to reset the password become invalid.',
    body: z.object({ token: LinkToken, new: NewPassword }),
    reply: z.object({ reset: z.literal(true).describe('Always true') }),
    message: 'Password reset; sign in with the new one',
    emits: [userPasswordChanged, userLoggedOut, userEmailVerified],
  },
  changeOwnPassword: {
    method: 'PUT',
    path: '/v1/users/me/password',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: "Change the current user's password",
    description: 'The other sessions of the user end. The user is notified by mail.',
    body: z.object({ current: CurrentPassword, new: NewPassword }),
    reply: z.object({ changed: z.literal(true).describe('Always true') }),
    message: 'Password changed',
    emits: [userPasswordChanged, userLoggedOut],
    errors: tooManyFailures,
  },
  setUserPassword: {
    method: 'POST',
    path: '/v1/users/:id/password',
    permission: 'users:manage',
    inSandbox: 'runs_in_live',
    summary: 'Set the password of a user',
    description:
      'All sessions of the user end, and the user is notified by mail. You cannot set the password of a user whose role has permissions that you do not have. Your own password requires `current`.',
    params: z.object({ id: id('user') }),
    body: z.object({ new: NewPassword, current: CurrentPassword.optional() }),
    reply: z.object({ changed: z.literal(true).describe('Always true') }),
    message: 'Password set',
    emits: [userPasswordChanged, userLoggedOut],
    errors: tooManyFailures,
  },
  verifyEmail: {
    method: 'POST',
    path: '/v1/auth/email/verify',
    audience: 'public',
    summary: 'Prove an e-mail address',
    description: 'Takes the token of a link that was sent to the address. A link to a new address changes the address.',
    body: z.object({ token: LinkToken }),
    reply: z.object({
      email: z.string().meta({ description: 'The address that is now proven', examples: ['ada@example.com'] }),
      emailVerified: z.literal(true).describe('Always true'),
    }),
    message: 'E-mail address verified',
    emits: [userEmailVerified, userEmailChanged, userUpdated],
    errors: { email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'] },
  },
  requestEmailVerification: {
    method: 'POST',
    path: '/v1/users/me/email/verification',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: "Request another link to verify the current user's e-mail address",
    description:
      'Links are valid for three days. At most three per hour, and five per minute for one address in all tenants.',
    reply: z.object({
      email: User.shape.email.describe('The address that the link is sent to'),
      expiresAt: timestamp().describe('When the link expires'),
    }),
    status: 202,
    message: 'A message is on its way',
    emits: [],
    errors: {
      already_verified: [409, 'The e-mail address is verified already'],
      too_many_links: [429, 'Too many links were requested; use the latest one or try again in an hour'],
      ...tooManyFailures,
      ...mailLimit,
    },
  },
  changeOwnEmail: {
    method: 'POST',
    path: '/v1/users/me/email',
    permission: signedIn,
    inSandbox: 'runs_in_live',
    peopleOnly: true,
    summary: "Change the current user's e-mail address",
    description:
      'Sends a link to the new address, valid for 24 hours. The address changes when the link is followed. The current address gets a notice. While the tenant enforces single sign-on for you, the new address must be in one of its proven domains.',
    body: z.object({
      newEmail: Email.meta({ description: 'The new address', examples: ['ada@example.com'] }),
      password: CurrentPassword,
    }),
    reply: z.object({
      newEmail: User.shape.email.describe('The address that the link is sent to'),
      expiresAt: timestamp().describe('When the link expires'),
    }),
    status: 202,
    message: 'A message is on its way to the new address',
    emits: [],
    errors: {
      email_taken: [409, 'Another user of the tenant has this e-mail address; use a different one'],
      too_many_links: [429, 'Too many links were requested; use the latest one or try again in an hour'],
      ...tooManyFailures,
      ...mailLimit,
    },
  },
});
