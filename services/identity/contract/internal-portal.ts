import { id, name, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The tokens of somebody who is signed in to a partner's portal. */
export const PortalSession = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  /** Seconds until the access token expires, and the moment. */
  expiresIn: z.int(),
  expiresAt: timestamp(),
});

/**
 * Sessions in the portals of partners, for the service that knows who may sign in there. Tokens come from identity alone.
 * A session stays in the environment of the call that opened it.
 */
export const internalPortal = operations({
  openPortalSession: {
    method: 'POST',
    path: '/internal/portal-sessions',
    audience: 'internal',
    summary: 'Open a session of a portal user of the tenant',
    body: z.object({ partnerId: id('partner'), portalUserId: id('portal_user'), name: name(200) }),
    reply: PortalSession,
    status: 201,
    message: 'Portal session opened',
    emits: [],
  },
  refreshPortalSession: {
    method: 'POST',
    path: '/internal/portal-sessions/refresh',
    audience: 'internal',
    summary: 'Exchange a refresh token of a portal session for new tokens; the token says of which tenant it is',
    body: z.object({ refreshToken: z.string().min(1).max(200) }),
    reply: PortalSession.extend({
      tenantId: id('tenant'),
      partnerId: id('partner'),
      portalUserId: id('portal_user'),
      environment: z.enum(['live', 'sandbox']),
    }),
    message: 'Portal tokens refreshed',
    emits: [],
    errors: { bad_refresh_token: [401, 'Invalid, used or expired refresh token'] },
  },
  endPortalSessions: {
    method: 'POST',
    path: '/internal/portal-sessions/end',
    audience: 'internal',
    summary: 'End one portal session, those of a portal user, or those of a whole partner',
    body: z.object({
      sessionId: id('session').optional(),
      partnerId: id('partner').optional(),
      portalUserId: id('portal_user').optional(),
    }),
    reply: z.object({ ended: z.int() }),
    message: 'Portal sessions ended',
    emits: [],
  },
});
