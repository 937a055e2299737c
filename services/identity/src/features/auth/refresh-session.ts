import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { endSessions, findToken, isOver, issueTokens, lockToken, replaceToken } from './session.ts';

interface Outcome {
  tokens?: Awaited<ReturnType<typeof issueTokens>>;
  /** Sessions that had to end. */
  ended?: number[];
}

export const refreshSession =
  (tools: Tools): Handler<typeof signIn.refreshSession> =>
  async ({ body, tx, inTenant }) => {
    const hash = hashRefreshToken(body.refreshToken);
    const place = await tx.refreshLookup.findFirst({ where: { hash } });
    if (!place) throw fail('bad_refresh_token');
    const tenantId = place.ownerTenantId;
    const known = await inTenant({ tenantId, environment: 'live' }, ({ tx: own }) => findToken(own, hash));
    const owner = known?.session.user;
    if (!owner) throw fail('bad_refresh_token');

    const { tokens, ended = [] } = await inTenant(
      { tenantId, environment: 'live', actor: asActor(owner) },
      async ({ tx: own, emit }): Promise<Outcome> => {
        const token = await lockToken(own, hash);
        const user = token?.session.user;
        if (!token || !user) return {};
        const { sessionId } = token;
        if (token.usedAt) {
          // Whoever holds a used token is the thief or the victim; neither can be told apart, so the family ends.
          return { ended: await endSessions(own, emit, { where: { id: sessionId }, reason: 'refresh_reused' }) };
        }
        if (isOver(token) || user.status !== 'active') return {};
        const issue = () => issueTokens(own, { tenantId, user, role: user.role, sessionId }, tools);
        return { tokens: await replaceToken(own, { hash, sessionId }, issue) };
      },
    );
    // Outside of the transaction, and refused only now: what a second use has ended must stay ended.
    for (const sessionId of ended) await tools.news({ sessionId });
    if (!tokens) throw fail('bad_refresh_token');
    return tokens;
  };
