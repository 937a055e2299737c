import { id, name, operations, phone, text } from '@tandem/contract';
import { z } from 'zod';
import { partnerReapplied } from './partner-life.ts';
import { partnerApproved, partnerRegistered, partnerUpdated } from './partners.ts';
import { notApproved, PortalSignIn } from './portal-sign-in.ts';
import {
  PortalEmail,
  PortalPassword,
  portalUserCreated,
  portalUserLoggedIn,
  portalUserPasswordChanged,
  portalUserUpdated,
} from './portal-users.ts';
import { Code } from './referral-codes.ts';

const LinkToken = z
  .string({ error: 'Must be a string' })
  .min(1, { error: 'Must not be empty' })
  .max(1_000, { error: 'Must be at most 1000 characters' })
  .meta({ description: 'The token of the link in the message', examples: ['ThisIsOnlyAnExampleOfALinkToken'] });

const tooManyRequests = {
  too_many_failures: [429, 'Too many requests for this address or from this client. Wait before you try again.'],
} as const;
const accepted = z.object({ accepted: z.literal(true).describe('Always true') });
const address = z.object({ email: PortalEmail, tenant: id('tenant') });
const atMost =
  'The answer is the same for every address. At most three messages per user and hour; none is sent in the sandbox.';

/** Portal users who are not signed in: links by mail, and the registration of partners. */
export const portalAccounts = operations({
  requestMagicLink: {
    method: 'POST',
    path: '/v1/partners/portal/magic-link',
    audience: 'public',
    summary: 'Request a link to sign in to the portal',
    description: `Sends a link to users with a password whose partner is approved, valid for 15 minutes. ${atMost}`,
    body: address,
    reply: accepted,
    status: 202,
    message: 'If the address has an account, a message is on its way',
    emits: [],
    errors: tooManyRequests,
  },
  verifyMagicLink: {
    method: 'POST',
    path: '/v1/partners/portal/magic-link/verify',
    audience: 'public',
    summary: 'Sign in to the portal with a link',
    description:
      'A link works once. It confirms the address of the partner (`emailConfirmedAt`), if that is the address of the user.',
    body: z.object({ token: LinkToken }),
    reply: PortalSignIn,
    message: 'Signed in',
    emits: [portalUserLoggedIn, partnerUpdated],
    errors: notApproved,
  },
  forgotPortalPassword: {
    method: 'POST',
    path: '/v1/partners/portal/password/forgot',
    audience: 'public',
    summary: 'Request a link to reset a portal password',
    description: `Sends a link to users whose partner is pending or approved, valid for 15 minutes. ${atMost}`,
    body: address,
    reply: accepted,
    status: 202,
    message: 'If the address has an account, a message is on its way',
    emits: [],
    errors: tooManyRequests,
  },
  resetPortalPassword: {
    method: 'POST',
    path: '/v1/partners/portal/password/reset',
    audience: 'public',
    summary: 'Set a portal password with a link',
    description:
      'Takes the token of a link to reset the password, or of an invitation, which the user accepts by it. A link works once. All sessions of the user end, and other links to set the password or to sign in become invalid. The link confirms the address of the partner (`emailConfirmedAt`), if that is the address of the user.',
    body: z.object({ token: LinkToken, password: PortalPassword.describe('The new password') }),
    reply: z.object({ reset: z.literal(true).describe('Always true') }),
    message: 'Password set; sign in with the new one',
    emits: [portalUserPasswordChanged, portalUserUpdated, partnerUpdated],
  },
  registerPartner: {
    method: 'POST',
    path: '/v1/partners/portal/register',
    audience: 'public',
    summary: 'Apply for the partner program',
    description:
      'Registers a pending partner with an owner of the portal; the addon Partner Program can approve it at once (`autoApprove`). The addon must be active and allow it (`openRegistration`), and its current `termsVersion` must be accepted. A message confirms it, with a link that proves the address (`emailConfirmedAt`). The answer is the same if the address is in use: nothing is changed or stored then, and its owner is told by mail. The owner of a rejected partner gets a link that reopens the application with the data that it has.',
    body: z.object({
      tenant: id('tenant'),
      email: PortalEmail,
      firstName: name().meta({ examples: ['Joan'] }),
      lastName: name().meta({ examples: ['Clarke'] }),
      company: text(200)
        .nullish()
        .meta({ examples: ['Clarke Consulting'] }),
      phone: phone().nullish(),
      password: PortalPassword,
      referralCode: Code.nullish().meta({
        description: 'The referral code of the approved partner who recruits this one',
        examples: ['JOAN-2026'],
      }),
      acceptedTerms: text(100)
        .nullish()
        .meta({
          description: 'The version of the terms that the partner accepts; required if the addon has a `termsVersion`',
          examples: ['2026-01'],
        }),
    }),
    reply: accepted,
    status: 202,
    message: 'Application received; a message is on its way',
    emits: [partnerRegistered, partnerApproved, portalUserCreated],
    errors: {
      registration_closed: [403, 'The partner program does not take applications'],
      ...tooManyRequests,
    },
  },
  confirmApplication: {
    method: 'POST',
    path: '/v1/partners/portal/register/confirm',
    audience: 'public',
    summary: 'Confirm an application with a link',
    description:
      'Takes the token of the link in the message about an application, valid for 72 hours. It confirms the address of the partner (`emailConfirmedAt`), and makes a rejected partner who applied again pending. A link works once, and a rejection withdraws it.',
    body: z.object({ token: LinkToken }),
    reply: z.object({ confirmed: z.literal(true).describe('Always true') }),
    message: 'Application confirmed',
    emits: [partnerUpdated, partnerReapplied],
  },
});
