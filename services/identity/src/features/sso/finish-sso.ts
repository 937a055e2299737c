import { randomBytes } from 'node:crypto';
import { refreshCookie, ssoCookie, type ssoSignIn } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { ApiError, fail } from '@tandem/service';
import { asActor, type Handler, type Tools } from '../../handler.ts';
import { refreshDays } from '../../tokens.ts';
import { completeSignIn, lockAccount } from '../auth/complete-sign-in.ts';
import { recordFailedSignIn } from '../auth/record-failed-sign-in.ts';
import { cookiePath, readBegun } from './begun.ts';
import { credentialsOf, findActive, redirectUri } from './connection.ts';
import { findKnown, findOrCreateUser } from './person.ts';

const daySeconds = 86_400;

export const finishSso =
  (tools: Tools): Handler<typeof ssoSignIn.finishSso> =>
  async ({ query, cookies, caller, inTenant, setCookie }) => {
    const begun = readBegun(cookies, tools.seal);
    if (!begun || query.state !== begun.state) throw fail('sso_expired');
    const scope = { tenantId: begun.tenantId, environment: 'live' as const };
    const connection = await inTenant(scope, ({ tx }) => findActive(tx));
    if (!connection) throw fail('sso_off');

    const callback = new URL(redirectUri(tools));
    for (const [name, value] of Object.entries(query)) callback.searchParams.set(name, String(value));
    const person = await tools.sso.finish(credentialsOf(connection, tools.seal), begun, callback);

    // Users of single sign-on have no password that anybody knows; they can set one by the reset mail.
    const passwordHash = await hashPassword(randomBytes(32).toString('base64url'));
    const actor = { type: 'system' as const, name: 'Single sign-on' };
    const { user } = await inTenant({ ...scope, actor }, ({ tx, emit }) =>
      findOrCreateUser(tx, emit, { connection, person, passwordHash }, tools),
    ).catch(async (error: unknown) => {
      const known = error instanceof ApiError && (await inTenant(scope, ({ tx }) => findKnown(tx, connection, person)));
      if (known) await recordFailedSignIn(inTenant, begun.tenantId, known.id);
      throw error;
    });
    const { refreshToken } = await inTenant({ ...scope, actor: asActor(user) }, async ({ tx, emit }) => {
      const account = await lockAccount(tx, user);
      // Starting again tells the reason.
      if (!account) throw fail('sso_expired');
      return completeSignIn(tx, emit, { account, caller, method: 'sso' }, tools);
    });
    const { secureCookies: secure } = tools;
    setCookie(ssoCookie, '', { path: cookiePath, maxAgeSeconds: 0, sameSite: 'Lax', secure });
    setCookie(refreshCookie, refreshToken, {
      path: '/v1/auth',
      maxAgeSeconds: refreshDays * daySeconds,
      sameSite: 'Strict',
      secure,
    });
    return {
      body: '',
      type: 'text/html; charset=utf-8',
      location: `${tools.consoleUrl ?? tools.publicUrl}${begun.returnTo}`,
    };
  };
