import { refreshCookie, type signIn } from '@tandem/identity-contract';
import type { Context } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { refreshDays } from '../../tokens.ts';

type SetCookie = Context<typeof signIn.refreshSession, Tx>['setCookie'];

const daySeconds = 86_400;

/** Keeps the refresh token of a browser session in its cookie. Other sites cannot make a browser send it. */
export function setRefreshCookie(setCookie: SetCookie, token: string, { secureCookies: secure }: Tools): void {
  setCookie(refreshCookie, token, {
    path: '/v1/auth',
    sameSite: 'Strict',
    maxAgeSeconds: refreshDays * daySeconds,
    secure,
  });
}

/** Deletes the cookie. */
export function clearRefreshCookie(setCookie: SetCookie, { secureCookies: secure }: Tools): void {
  setCookie(refreshCookie, '', { path: '/v1/auth', sameSite: 'Strict', maxAgeSeconds: 0, secure });
}
