import { media, operations } from '@tandem/contract';
import { z } from 'zod';

// Pages for links in messages, used if PORTAL_URL is not set; that of an application always. Opening a page changes nothing: its form calls the operation.
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

export const portalPages = operations({
  showPortalInvitationPage: {
    ...page,
    path: '/portal/invitation',
    summary: 'Show the page to accept an invitation to the portal',
  },
  showPortalPasswordPage: {
    ...page,
    path: '/portal/reset-password',
    summary: 'Show the page to reset a portal password',
  },
  showPortalApplicationPage: {
    ...page,
    path: '/portal/application',
    summary: 'Show the page to confirm an application',
  },
  showPortalSignInPage: {
    ...page,
    path: '/portal/sign-in',
    summary: 'Show the page of a link to sign in to the portal',
    description: 'Returns an HTML page that says that the link needs the portal, which reads its token.',
  },
});
