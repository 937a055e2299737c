import type { signIn } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { signInByPassword } from './login.ts';
import { setRefreshCookie } from './refresh-cookie.ts';
import { refresh } from './refresh-session.ts';

export const createBrowserSession =
  (tools: Tools): Handler<typeof signIn.createBrowserSession> =>
  async ({ body, caller, tx, inTenant, setCookie }) => {
    const { refreshToken: given, email, password, ...more } = body;
    const isRefresh = given !== undefined;
    if (isRefresh && (email !== undefined || password !== undefined))
      throw failField('refreshToken', 'Send either refreshToken, or email and password');
    if (!isRefresh && email === undefined) throw failField('email', 'Is required without refreshToken');
    if (!isRefresh && password === undefined) throw failField('password', 'Is required without refreshToken');
    const signedIn = isRefresh
      ? await refresh(given, { caller, tx, inTenant }, tools)
      : await signInByPassword(
          { body: { ...more, email: email as string, password: password as string }, caller, tx, inTenant },
          tools,
        );
    if ('challenge' in signedIn) return signedIn;
    const { refreshToken, accessToken, tokenType, expiresIn } = signedIn;
    setRefreshCookie(setCookie, refreshToken, tools);
    return { accessToken, tokenType, expiresIn };
  };
