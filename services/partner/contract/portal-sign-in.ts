import { timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Partner } from './partners.ts';

/** The fields of a partner that its portal users can see. */
export const PortalPartner = Partner.omit({
  allowedTransitions: true,
  customFields: true,
  createdBy: true,
});

/** The tokens of a portal session. */
export const PortalSignIn = z.object({
  token: z.string().meta({
    description: 'The access token of the session',
    examples: ['eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.eyJzdWIiOiJleGFtcGxlIn0.c2lnbmF0dXJl'],
  }),
  expiresAt: timestamp().meta({ description: 'When the token expires', examples: ['2026-03-02T09:30:00.000Z'] }),
  refreshToken: z.string().meta({
    description: 'The refresh token; can be exchanged once for new tokens',
    examples: ['ThisIsOnlyAnExampleOfARefreshToken000000000'],
  }),
  partner: PortalPartner.describe('The partner of the session'),
});

export const notConfirmed = {
  email_not_confirmed: [
    403,
    'The e-mail address is not confirmed. Choose a password with the link of the invitation, or request a link to reset it',
  ],
} as const;
export const notApproved = { partner_not_approved: [403, 'The partner is not approved'] } as const;
