import { id, name, operations, timestamp } from '@tandem/contract';
import { z } from 'zod';

/** The tokens of a partner portal session. */
export const PortalSession = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  /** When the access token expires: in seconds, and as a time. */
  expiresIn: z.int(),
  expiresAt: timestamp(),
});

/**
 * Partner portal sessions, for the service that manages portal users. Only identity issues tokens. A session stays in
 * the environment of the call that opened it.
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
    summary: 'Exchange a refresh token of a portal session for new tokens; the token identifies its tenant',
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
    summary: 'End one portal session, or all sessions of a portal user or a partner, all but one',
    body: z.object({
      sessionId: id('session').optional(),
      partnerId: id('partner').optional(),
      portalUserId: id('portal_user').optional(),
      exceptSessionId: id('session').optional(),
    }),
    reply: z.object({ ended: z.int() }),
    message: 'Portal sessions ended',
    emits: [],
  },
});
