import type { Environment } from '@tandem/caller';
import type { internalPortal } from '@tandem/identity-contract';
import { fail, type Result } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { isOver, lockToken, replaceToken } from '../auth/session.ts';
import { issuePortalTokens } from './portal-session.ts';

interface Outcome {
  reply?: Result<typeof internalPortal.refreshPortalSession>;
  /** The session that had to end. */
  ended?: number;
}

export const refreshPortalSession =
  (tools: Tools): Handler<typeof internalPortal.refreshPortalSession> =>
  async ({ body, caller, tx, inTenant }) => {
    const hash = hashRefreshToken(body.refreshToken);
    const place = await tx.refreshLookup.findFirst({ where: { hash } });
    if (!place) throw fail('bad_refresh_token');
    const tenantId = place.ownerTenantId;
    // Who names a tenant is held to it.
    if (caller.tenantId !== undefined) throw fail('bad_refresh_token');
    const { reply, ended } = await inTenant({ tenantId, environment: 'live' }, ({ tx: own }) =>
      exchange(own, { tenantId, hash }, tools),
    );
    // Refused only after the commit: what a second use has ended must stay ended.
    if (ended !== undefined) await tools.news({ sessionId: ended });
    if (!reply) throw fail('bad_refresh_token');
    return reply;
  };

async function exchange(
  tx: Tx,
  { tenantId, hash }: { tenantId: number; hash: string },
  tools: Tools,
): Promise<Outcome> {
  const token = await lockToken(tx, hash);
  if (!token) return {};
  const { sessionId } = token;
  const { partnerId, portalUserId, portalEnvironment } = token.session;
  // The tokens of users are exchanged elsewhere, and a portal never gets a session of the platform for one.
  if (partnerId === null || portalUserId === null) return {};
  if (token.usedAt) {
    const { count } = await tx.session.updateMany({
      where: { id: sessionId, endedAt: null },
      data: { endedAt: new Date(), endReason: 'refresh_reused' },
    });
    return count ? { ended: sessionId } : {};
  }
  if (isOver(token)) return {};
  const issue = () => issuePortalTokens(tx, { tenantId, sessionId, portalUserId }, tools);
  const tokens = await replaceToken(tx, { hash, sessionId }, issue);
  return { reply: { ...tokens, tenantId, partnerId, portalUserId, environment: portalEnvironment as Environment } };
}
