import type { signIn } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getJwks } from './get-jwks.ts';
import { getMe } from './get-me.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { refreshSession } from './refresh-session.ts';

export const signInHandlers = (tools: Tools) =>
  ({
    login: login(tools),
    refreshSession: refreshSession(tools),
    logout: logout(tools),
    getMe,
    getJwks: getJwks(tools),
  }) satisfies Handlers<typeof signIn, Tx>;
