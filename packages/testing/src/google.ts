// A local Google: a real authorization server at the addresses of Google, with the calendar of the account.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { createGoogleCalendar } from './google-calendar.ts';

export { type GoogleCalendar, startGoogleCalendar } from './google-calendar.ts';

const clientId = 'tandem';
const secret = 'ThisIsOnlyTheSecretOfATest';
const scope = 'https://www.googleapis.com/auth/calendar.events';
/** The callback that is registered with the provider. */
export const callback = 'https://api.tandem.example/v1/integrations/oauth/google/callback';

/** How the token endpoint answers. */
type Mode = 'issues' | 'fails' | 'hangs';

/** Starts it. Refresh tokens are rotated: a refresh token is valid once, and using it twice ends the grant. */
export async function startGoogle() {
  let mode: Mode = 'issues';
  let tokenSeconds = 3600;
  const calls = { token: 0, revoke: 0, api: 0 };
  const issued: { access_token: string; refresh_token: string }[] = [];
  const waiting: (() => void)[] = [];
  const calendar = createGoogleCalendar();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    scopes: ['openid', scope],
    routes: { authorization: '/o/oauth2/v2/auth', token: '/token', revocation: '/revoke' },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: () => tokenSeconds, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: [secret] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId as string });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const body = context.body as (typeof issued)[number] | undefined;
    if (context.path === '/token' && context.status === 200 && body) issued.push(body);
  });
  const handle = provider.callback();

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    if (path.startsWith('/interaction/'))
      return provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent: {} });
    if (path.startsWith('/calendar/')) return answerApi(request, response);
    if (path === '/token') calls.token += 1;
    if (path === '/revoke') calls.revoke += 1;
    if (mode === 'fails' && (path === '/token' || path === '/revoke')) return response.writeHead(503).end('down');
    if (mode === 'hangs' && path === '/token') await new Promise<void>((resolve) => waiting.push(resolve));
    return handle(request, response);
  };
  const answerApi = async (request: IncomingMessage, response: ServerResponse) => {
    calls.api += 1;
    const token = await provider.AccessToken.find(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (token) return calendar.handle(request, response);
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'unauthenticated' }));
  };
  server.on('request', (request, response) => void answer(request, response));

  return {
    url,
    calls,
    issued,
    calendar,
    settings: { OAUTH_GOOGLE_CLIENT_ID: clientId, OAUTH_GOOGLE_CLIENT_SECRET: secret, OAUTH_GOOGLE_URL: url },
    /** Sets how the token endpoint answers; requests that hang are answered when it does not hang any more. */
    set(next: Mode) {
      mode = next;
      if (mode !== 'hangs') for (const go of waiting.splice(0)) go();
    },
    /** The account that consents from now on. */
    useAccount(address: string) {
      calendar.state.account = address;
    },
    account: () => calendar.state.account,
    /** How long the next access tokens are valid. */
    setTokenLife(seconds: number) {
      tokenSeconds = seconds;
    },
    /** The user removes the access of the platform, so that the last refresh token is refused from now on. */
    async endGrant() {
      const { refresh_token: token, access_token: access } = issued.at(-1) as (typeof issued)[number];
      await (await provider.RefreshToken.find(token))?.destroy();
      await (await provider.AccessToken.find(access))?.destroy();
    },
    isValid: async (accessToken: string) => (await provider.AccessToken.find(accessToken)) !== undefined,
    isRefreshable: async (token: string) => (await provider.RefreshToken.find(token)) !== undefined,
    /** Consents like a browser that opens the address; returns the callback that it arrives at. */
    consent: (address: string) => follow(address),
    async close() {
      for (const go of waiting.splice(0)) go();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Google = Awaited<ReturnType<typeof startGoogle>>;

async function follow(from: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let at = new URL(from), steps = 0; steps < 10; steps++) {
    if (at.href.startsWith(callback)) return at;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (!location) throw new Error(`The provider responded ${reply.status}: ${await reply.text()}`);
    at = new URL(location, at);
  }
  throw new Error('The provider redirects without end');
}
