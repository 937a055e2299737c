import { refreshCookie, type signIn } from '@tandem/identity-contract';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { hashRefreshToken } from '../../tokens.ts';
import { clearRefreshCookie } from './refresh-cookie.ts';
import { endSessions, findToken } from './session.ts';

export const endBrowserSession =
  (tools: Tools): Handler<typeof signIn.endBrowserSession> =>
  async ({ cookies, tx, inTenant, setCookie, afterCommit }) => {
    clearRefreshCookie(setCookie, tools);
    const token = cookies[refreshCookie];
    const hash = token === undefined ? undefined : hashRefreshToken(token);
    const lookup = hash && (await tx.refreshLookup.findFirst({ where: { hash } }));
    if (!hash || !lookup) return { signedOut: true };
    const scope = { tenantId: lookup.ownerTenantId, environment: 'live' as const };
    const known = await inTenant(scope, ({ tx: tenantTx }) => findToken(tenantTx, hash));
    const user = known?.session.user;
    if (!user) return { signedOut: true };
    const { sessionId } = known;
    const ended = await inTenant({ ...scope, actor: asActor(user) }, ({ tx: tenantTx, emit }) =>
      endSessions(tenantTx, emit, { where: { id: sessionId }, reason: 'logout' }),
    );
    afterCommit(async () => {
      for (const id of ended) await tools.invalidateCredentials({ sessionId: id });
    });
    return { signedOut: true };
  };
