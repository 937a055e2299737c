import type { signIn } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { type Handler, inTheNameOf, type Tools, type Tx } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { endSessions, issueTokens } from './session.ts';

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
    if (!known) throw fail('bad_refresh_token');

    const { tokens, ended = [] } = await inTenant(
      inTheNameOf(tenantId, known.session.user),
      async ({ tx: own, emit }): Promise<Outcome> => {
        // Two uses at once: the second waits here and finds the token used.
        await own.sql`SELECT hash FROM refresh_token WHERE hash = ${hash} FOR UPDATE`;
        const token = await findToken(own, hash);
        if (!token) return {};
        const { session } = token;
        if (token.usedAt) {
          // Whoever holds a used token is the thief or the victim; neither can be told apart, so the family ends.
          return { ended: await endSessions(own, emit, { where: { id: session.id }, reason: 'refresh_reused' }) };
        }
        const isOver = session.endedAt !== null || token.expiresAt <= new Date();
        if (isOver || session.user.status !== 'active' || session.user.tenant.status !== 'active') return {};
        await own.refreshToken.updateMany({ where: { hash }, data: { usedAt: new Date() } });
        const { user } = session;
        const tokens = await issueTokens(own, { tenantId, user, role: user.role, sessionId: session.id }, tools);
        await own.sql`UPDATE session SET expires_at = (SELECT max(expires_at) FROM refresh_token WHERE session_id = ${session.id}) WHERE id = ${session.id}`;
        return { tokens };
      },
    );
    // Outside of the transaction, and refused only now: what a second use has ended must stay ended.
    for (const sessionId of ended) await tools.news({ sessionId });
    if (!tokens) throw fail('bad_refresh_token');
    return tokens;
  };

function findToken(tx: Tx, hash: string) {
  return tx.refreshToken.findFirst({
    where: { hash },
    include: { session: { include: { user: { include: { role: true, tenant: true } } } } },
  });
}
