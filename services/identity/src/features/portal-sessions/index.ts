import type { internalPortal } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { endPortalSessions } from './end-portal-sessions.ts';
import { openPortalSession } from './open-portal-session.ts';
import { refreshPortalSession } from './refresh-portal-session.ts';

export const portalSessionHandlers = (tools: Tools) =>
  ({
    openPortalSession: openPortalSession(tools),
    refreshPortalSession: refreshPortalSession(tools),
    endPortalSessions: endPortalSessions(tools),
  }) satisfies Handlers<typeof internalPortal, Tx>;
