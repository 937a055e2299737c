import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OauthProvider } from '@tandem/integrations-contract';
import { createOauthClient, type OauthClient } from './oauth-client.ts';

// Answers as the providers document them.
interface Request {
  line: string;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
}
const seen: Request[] = [];
let answer: { status?: number; body?: unknown } = {};
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const form = Object.fromEntries(new URLSearchParams(text));
  seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, form });
  const { status = 200, body = {} } = answer;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
});
let oauth: OauthClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = Object.fromEntries(
    ['SLACK', 'GOOGLE', 'MICROSOFT', 'HUBSPOT', 'PIPEDRIVE'].flatMap((name) => [
      [`OAUTH_${name}_CLIENT_ID`, 'tandem'],
      [`OAUTH_${name}_CLIENT_SECRET`, 'secret'],
      [`OAUTH_${name}_URL`, url],
    ]),
  );
  oauth = createOauthClient({ settings, fetch: fetch as never, allowHttp: true });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  answer = {};
});

const issued = { access_token: 'a2', refresh_token: 'r2', token_type: 'bearer', expires_in: 3600 };
const tokens = { accessToken: 'a1', refreshToken: 'r1' };
const lastCall = () => seen.at(-1) as Request;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { failure: string }) => error.failure,
  );

it.each([
  ['slack', '/api/oauth.v2.access', { ...issued, ok: true, token_type: 'bot', scope: 'chat:write,users:read' }],
  ['google', '/token', { ...issued, scope: 'chat:write users:read', id_token: 'not.a.token' }],
  ['microsoft', '/common/oauth2/v2.0/token', { ...issued, token_type: 'Bearer', scope: 'chat:write users:read' }],
  ['hubspot', '/oauth/v1/token', issued],
  ['pipedrive', '/oauth/token', { ...issued, scope: 'chat:write users:read', api_domain: 'https://a.pipedrive.com' }],
] as const)('%s issues tokens', async (provider, path, body) => {
  answer = { body };
  expect(await oauth.refresh(provider, 'r1')).toMatchObject({
    accessToken: 'a2',
    refreshToken: 'r2',
    expiresInSeconds: 3600,
    scopes: 'scope' in body ? ['chat:write', 'users:read'] : null,
  });
  const { line, form, headers } = lastCall();
  expect([line, form['grant_type'], form['refresh_token']]).toEqual([`POST ${path}`, 'refresh_token', 'r1']);
  const isBasic = headers.authorization === `Basic ${btoa('tandem:secret')}`;
  expect([isBasic, form['client_secret']]).toEqual(provider === 'pipedrive' ? [true, undefined] : [false, 'secret']);
});

it.each([
  ['slack', 200, { ok: false, error: 'invalid_refresh_token' }, 'invalid_grant'],
  ['slack', 200, { ok: false, error: 'ratelimited' }, 'provider_unavailable'],
  ['slack', 200, { ok: false, error: 'bad_client_secret' }, 'provider_refused'],
  ['google', 400, { error: 'invalid_grant', error_description: 'Token has been revoked.' }, 'invalid_grant'],
  ['google', 401, { error: 'invalid_client' }, 'provider_refused'],
  ['google', 200, { error: 'x' }, 'provider_unavailable'],
  ['google', 200, '<html>', 'provider_unavailable'],
  ['google', 500, {}, 'provider_unavailable'],
  ['google', 429, {}, 'provider_unavailable'],
  ['microsoft', 400, { error: 'interaction_required' }, 'invalid_grant'],
  ['microsoft', 400, { error: 'temporarily_unavailable' }, 'provider_unavailable'],
  ['hubspot', 400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or unknown refresh token' }, 'invalid_grant'],
  ['hubspot', 400, { status: 'BAD_CLIENT_ID', message: 'missing or unknown client id' }, 'provider_refused'],
  ['pipedrive', 400, { success: false, error: 'invalid_grant' }, 'invalid_grant'],
] as const)('%s refuses with %i %j', async (provider, status, body, failure) => {
  answer = { status, body };
  expect(await failureOf(oauth.refresh(provider, 'r1'))).toBe(failure);
});

it.each([
  ['slack', 'POST /api/auth.revoke', { ok: true, revoked: true }, undefined],
  ['google', 'POST /revoke', {}, 'r1'],
  ['hubspot', 'DELETE /oauth/v1/refresh-tokens/r1', '', undefined],
  ['pipedrive', 'POST /oauth/revoke', { success: true }, 'r1'],
] as const)('%s revokes access', async (provider, line, body, token) => {
  answer = { body };
  await oauth.revoke(provider, tokens);
  expect([lastCall().line, lastCall().form['token']]).toEqual([line, token]);
  answer = { status: 503 };
  expect(await failureOf(oauth.revoke(provider, tokens))).toBe('provider_unavailable');
});

it.each([
  ['slack', 200, { ok: false, error: 'token_revoked' }],
  ['google', 400, { error: 'invalid_token' }],
  ['hubspot', 404, { message: 'not found' }],
  ['microsoft', 500, {}],
] as const)('has nothing to revoke at %s when it answers %i %j', async (provider: OauthProvider, status, body) => {
  answer = { status, body };
  await expect(oauth.revoke(provider, tokens)).resolves.toBeUndefined();
  // Microsoft offers no revocation.
  expect(seen).toHaveLength(provider === 'microsoft' ? 0 : 1);
});

it('asks Google for a refresh token, and separates the scopes of Slack by commas', async () => {
  const request = { state: 's', verifier: 'v'.repeat(43), redirectUri: 'https://a.example/cb', scopes: ['one', 'two'] };
  const google = new URL(await oauth.authorizationUrl('google', request)).searchParams;
  expect(Object.fromEntries(google)).toMatchObject({ access_type: 'offline', prompt: 'consent', scope: 'one two' });
  const slack = new URL(await oauth.authorizationUrl('slack', request)).searchParams;
  expect(slack.get('scope')).toBe('one,two');
});
