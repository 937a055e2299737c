import type { signIn } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { createBrowserSession } from './create-browser-session.ts';
import { endBrowserSession } from './end-browser-session.ts';
import { enrollTotpAtLogin } from './enroll-totp-at-login.ts';
import { getJwks } from './get-jwks.ts';
import { getMe } from './get-me.ts';
import { login } from './login.ts';
import { loginTotp } from './login-totp.ts';
import { logout } from './logout.ts';
import { refreshSession } from './refresh-session.ts';

export const signInHandlers = (tools: Tools) =>
  ({
    login: login(tools),
    loginTotp: loginTotp(tools),
    enrollTotpAtLogin: enrollTotpAtLogin(tools),
    refreshSession: refreshSession(tools),
    createBrowserSession: createBrowserSession(tools),
    endBrowserSession: endBrowserSession(tools),
    logout: logout(tools),
    getMe,
    getJwks: getJwks(tools),
  }) satisfies Handlers<typeof signIn, Tx>;
