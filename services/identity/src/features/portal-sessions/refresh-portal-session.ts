import { Environment } from '@tandem/contract';
import type { internalPortal } from '@tandem/identity-contract';
import { fail, type Result } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { isOfSuspended, isUnusable, lockToken, replaceToken } from '../auth/session.ts';
import { issuePortalTokens } from './portal-session.ts';

interface Outcome {
  reply?: Result<typeof internalPortal.refreshPortalSession>;
  /** Session ended because a refresh token was reused. */
  ended?: number;
}

export const refreshPortalSession =
  (tools: Tools): Handler<typeof internalPortal.refreshPortalSession> =>
  async ({ body, caller, tx, inTenant }) => {
    const hash = hashRefreshToken(body.refreshToken);
    const lookup = await tx.refreshLookup.findFirst({ where: { hash } });
    if (!lookup) throw fail('bad_refresh_token');
    const tenantId = lookup.ownerTenantId;
    // The tenant comes from the token, so callers must not send one.
    if (caller.tenantId !== undefined) throw fail('bad_refresh_token');
    const { reply, ended } = await inTenant({ tenantId, environment: 'live' }, ({ tx: tenantTx }) =>
      exchange(tenantTx, { tenantId, hash }, tools),
    );
    // After the commit: failing inside the transaction would roll back the end of the session.
    if (ended !== undefined) await tools.invalidateCredentials({ sessionId: ended });
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
  // Refresh tokens of platform users are not accepted by the portal.
  if (partnerId === null || portalUserId === null) return {};
  if (!isUnusable(token) && isOfSuspended(token)) throw fail('tenant_suspended');
  if (token.usedAt) {
    const { count } = await tx.session.updateMany({
      where: { id: sessionId, endedAt: null },
      data: { endedAt: new Date(), endReason: 'refresh_reused' },
    });
    return count ? { ended: sessionId } : {};
  }
  if (isUnusable(token)) return {};
  const issue = () => issuePortalTokens(tx, { tenantId, sessionId, portalUserId }, tools);
  const tokens = await replaceToken(tx, { hash, sessionId }, issue);
  return { reply: { ...tokens, tenantId, partnerId, portalUserId, environment: Environment.parse(portalEnvironment) } };
}
