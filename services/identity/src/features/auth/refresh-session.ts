import type { Caller } from '@tandem/caller';
import { refreshCookie, type signIn } from '@tandem/identity-contract';
import { type Context, fail } from '@tandem/service';
import type { Role, User } from '../../generated/client.ts';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { mustUseSso } from '../sso/connection.ts';
import { findConfirmed } from '../totp/totp.ts';
import { setRefreshCookie } from './refresh-cookie.ts';
import {
  endSessions,
  exchangeToken,
  findToken,
  isOfSuspended,
  isUnusable,
  lockToken,
  repeatExchange,
} from './session.ts';

interface Outcome {
  tokens?: Awaited<ReturnType<typeof exchangeToken>> | undefined;
  /** Sessions that the exchange ended, with the reason. */
  ended?: number[];
  reason?: 'refresh_reused' | 'totp_required' | 'sso_required';
}

type Refresh = Pick<Context<typeof signIn.refreshSession, Tx>, 'tx' | 'inTenant'> & { caller: Caller };

export const refreshSession =
  (tools: Tools): Handler<typeof signIn.refreshSession> =>
  async ({ body, cookies, caller, tx, inTenant, setCookie }) => {
    const token = body.refreshToken ?? cookies[refreshCookie];
    if (token === undefined) throw fail('bad_refresh_token');
    const tokens = await refresh(token, { caller, tx, inTenant }, tools);
    if (body.refreshToken !== undefined) return tokens;
    const { refreshToken, ...shown } = tokens;
    setRefreshCookie(setCookie, refreshToken, tools);
    return shown;
  };

/**
 * Exchanges a refresh token of a user for new tokens.
 * @throws ApiError 401 when it cannot be exchanged; a token that was used before ends its session. 403 while the tenant is
 *   suspended, and then the token remains unused
 */
export async function refresh(refreshToken: string, { caller, tx, inTenant }: Refresh, tools: Tools) {
  const hash = hashRefreshToken(refreshToken);
  const lookup = await tx.refreshLookup.findFirst({ where: { hash } });
  if (!lookup) throw fail('bad_refresh_token');
  const tenantId = lookup.ownerTenantId;
  const known = await inTenant({ tenantId, environment: 'live' }, ({ tx: tenantTx }) => findToken(tenantTx, hash));
  const signedIn = known?.session.user;
  if (!signedIn) throw fail('bad_refresh_token');

  const {
    tokens,
    ended = [],
    reason,
  } = await inTenant(
    { tenantId, environment: 'live', actor: asActor(signedIn) },
    async ({ tx: tenantTx, emit }): Promise<Outcome> => {
      const token = await lockToken(tenantTx, hash);
      const user = token?.session.user;
      if (!token || !user) return {};
      const { sessionId, usedAt } = token;
      const owner = { tenantId, user, role: user.role, sessionId };
      const mayRefresh = !isUnusable(token) && user.status === 'active';
      if (mayRefresh && isOfSuspended(token)) throw fail('tenant_suspended');
      const reason = mayRefresh ? await outdatedBy(tenantTx, token.session, user) : undefined;
      if (reason) return { reason, ended: await endSessions(tenantTx, emit, { where: { id: sessionId }, reason }) };
      if (!usedAt)
        return mayRefresh
          ? { tokens: await exchangeToken(tenantTx, { token: refreshToken, owner, caller }, tools) }
          : {};
      const repeated = mayRefresh && (await repeatExchange(tenantTx, { token: refreshToken, usedAt, owner }, tools));
      if (repeated) return { tokens: repeated };
      // A reused token suggests theft, and thief and victim cannot be told apart: end the session.
      return { ended: await endSessions(tenantTx, emit, { where: { id: sessionId }, reason: 'refresh_reused' }) };
    },
  );
  // After the commit: failing inside the transaction would roll back the end of the session.
  for (const sessionId of ended) await tools.invalidateCredentials({ sessionId });
  if (reason === 'totp_required' || reason === 'sso_required') throw fail(reason);
  if (!tokens) throw fail('bad_refresh_token');
  return tokens;
}

/** A requirement that the tenant has introduced since the session began, and that the session does not meet. */
async function outdatedBy(
  tx: Tx,
  session: Parameters<typeof lacksSecondFactor>[1],
  user: User & { role: Role },
): Promise<'sso_required' | 'totp_required' | undefined> {
  if (session.method !== 'sso' && (await mustUseSso(tx, { user, role: user.role }))) return 'sso_required';
  return (await lacksSecondFactor(tx, session)) ? 'totp_required' : undefined;
}

/**
 * Whether the tenant requires a second factor and the user has none. It does not apply to single sign-on, where the
 * provider has its own.
 */
async function lacksSecondFactor(
  tx: Tx,
  { userId, method, tenant }: { userId: number | null; method: string | null; tenant: { requireTotp: boolean } },
): Promise<boolean> {
  if (!tenant.requireTotp || userId === null || method === 'sso') return false;
  return (await findConfirmed(tx, userId)) === null;
}
