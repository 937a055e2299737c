import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { endSessions, findToken, issueTokens, isUnusable, lockToken, replaceToken } from './session.ts';

interface Outcome {
  tokens?: Awaited<ReturnType<typeof issueTokens>>;
  /** Sessions ended because a refresh token was reused. */
  ended?: number[];
}

export const refreshSession =
  (tools: Tools): Handler<typeof signIn.refreshSession> =>
  async ({ body, tx, inTenant }) => {
    const hash = hashRefreshToken(body.refreshToken);
    const lookup = await tx.refreshLookup.findFirst({ where: { hash } });
    if (!lookup) throw fail('bad_refresh_token');
    const tenantId = lookup.ownerTenantId;
    const known = await inTenant({ tenantId, environment: 'live' }, ({ tx: tenantTx }) => findToken(tenantTx, hash));
    const owner = known?.session.user;
    if (!owner) throw fail('bad_refresh_token');

    const { tokens, ended = [] } = await inTenant(
      { tenantId, environment: 'live', actor: asActor(owner) },
      async ({ tx: tenantTx, emit }): Promise<Outcome> => {
        const token = await lockToken(tenantTx, hash);
        const user = token?.session.user;
        if (!token || !user) return {};
        const { sessionId } = token;
        if (token.usedAt) {
          // A reused token suggests theft, and thief and victim cannot be told apart: end the session.
          return { ended: await endSessions(tenantTx, emit, { where: { id: sessionId }, reason: 'refresh_reused' }) };
        }
        if (isUnusable(token) || user.status !== 'active') return {};
        const issue = () => issueTokens(tenantTx, { tenantId, user, role: user.role, sessionId }, tools);
        return { tokens: await replaceToken(tenantTx, { hash, sessionId }, issue) };
      },
    );
    // After the commit: failing inside the transaction would roll back the end of the session.
    for (const sessionId of ended) await tools.invalidateCredentials({ sessionId });
    if (!tokens) throw fail('bad_refresh_token');
    return tokens;
  };
