import { media, operations } from '@tandem/contract';
import { z } from 'zod';
import { LinkToken } from './account.ts';

// Pages for links in messages, used if CONSOLE_URL is not set. Opening a page changes nothing: its form calls the
// operation.
const page = {
  method: 'GET',
  audience: 'public',
  description: 'Returns an HTML page for the link of a message.',
  query: z.object({
    token: z
      .string()
      .max(1_000)
      .optional()
      .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExampleOfALinkToken'] }),
  }),
  reply: media('text/html'),
  message: 'The HTML page',
} as const;

const { query: _, ...pageOfPath } = page;

export const accountPages = operations({
  showResetPasswordPage: { ...page, path: '/reset-password', summary: 'Show the page to reset a password' },
  showVerifyEmailPage: { ...page, path: '/verify-email', summary: 'Show the page to verify an e-mail address' },
  showInvitationPage: {
    ...pageOfPath,
    path: '/invitations/:token',
    summary: 'Show the page to accept an invitation',
    params: z.object({ token: LinkToken }),
    errors: {
      invitation_closed: [409, 'The invitation was accepted, revoked or has expired; ask for a new one'],
      link_expired: [404, 'The invitation has expired or was replaced by a later one; ask for a new one'],
    },
  },
});
