import type { OauthProvider } from '@tandem/integrations-contract';
import * as client from 'openid-client';
import type { IntegrationsSettings } from '../settings.ts';
import { providers } from './index.ts';
import type { Provider, TokenBody } from './provider.ts';

type Fetch = (url: string, options: object) => Promise<Response>;

/** The tokens that a provider issued. */
export interface Tokens {
  accessToken: string;
  /** null if the provider issued none, or, for a refresh, if the previous one stays valid. */
  refreshToken: string | null;
  expiresInSeconds: number | null;
  /** The granted scopes; null if the provider does not name them, because they are the requested ones. */
  scopes: string[] | null;
  body: TokenBody;
}

/** Why a provider issued no tokens. */
export type OauthFailure = 'invalid_grant' | 'provider_refused' | 'provider_unavailable';

export class OauthError extends Error {
  readonly failure: OauthFailure;

  constructor(failure: OauthFailure) {
    super(failure);
    this.failure = failure;
  }
}

interface AuthorizationRequest {
  state: string;
  verifier: string;
  redirectUri: string;
  scopes: readonly string[];
}

/** The calls of the platform to OAuth 2.0 providers, as their client. */
export interface OauthClient {
  /** Whether the platform has a client at the provider. */
  isConfigured(provider: OauthProvider): boolean;
  /** The address at the provider to open in the browser of the user. */
  authorizationUrl(provider: OauthProvider, request: AuthorizationRequest): Promise<string>;
  /** @throws OauthError when the provider issues no tokens */
  exchange(
    provider: OauthProvider,
    answer: Pick<AuthorizationRequest, 'state' | 'verifier' | 'redirectUri'> & { code: string },
  ): Promise<Tokens>;
  /** @throws OauthError when the provider issues no tokens */
  refresh(provider: OauthProvider, refreshToken: string): Promise<Tokens>;
  /**
   * Revokes access. Does nothing if the provider offers no revocation.
   * @throws OauthError when the provider did not revoke it
   */
  revoke(provider: OauthProvider, tokens: Pick<Tokens, 'accessToken' | 'refreshToken'>): Promise<void>;
  /** An address of the provider as this deployment calls it. */
  addressAt(provider: OauthProvider, url: string): string;
}

// Errors of the token endpoint that are over after some time (RFC 6749, section 4.1.2.1; RFC 6585).
const temporary = ['temporarily_unavailable', 'server_error', 'slow_down', 'rate_limited'];

/**
 * Creates the calls to providers.
 * @param options.fetch guarded, with time limits and limits of size
 */
export function createOauthClient(options: {
  settings: Partial<IntegrationsSettings>;
  fetch: Fetch;
  allowHttp: boolean;
}): OauthClient {
  const { settings, fetch, allowHttp } = options;
  const settingOf = (provider: OauthProvider, what: 'CLIENT_ID' | 'CLIENT_SECRET' | 'URL') =>
    settings[`OAUTH_${provider.toUpperCase() as Uppercase<OauthProvider>}_${what}`];

  const addressAt = (provider: OauthProvider, url: string): string => {
    const replaced = settingOf(provider, 'URL');
    const { pathname, search } = new URL(url);
    return replaced === undefined ? url : new URL(pathname + search, replaced).href;
  };

  const configOf = (provider: Provider): client.Configuration => {
    const { key, authorizationUrl, tokenUrl, revocation, clientAuth } = provider;
    const id = settingOf(key, 'CLIENT_ID') ?? '';
    const secret = settingOf(key, 'CLIENT_SECRET') ?? '';
    const server = {
      issuer: new URL(addressAt(key, authorizationUrl)).origin,
      authorization_endpoint: addressAt(key, authorizationUrl),
      token_endpoint: addressAt(key, tokenUrl),
      ...(typeof revocation === 'string' && { revocation_endpoint: addressAt(key, revocation) }),
    };
    const auth = clientAuth === 'basic' ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    const config = new client.Configuration(server, id, undefined, auth);
    config[client.customFetch] = (async (url: string, init: object) =>
      standardized(provider, await fetch(url, init), url === server.token_endpoint)) as client.CustomFetch;
    // Only where private addresses are allowed too: on a developer's machine, and in tests.
    if (allowHttp) client.allowInsecureRequests(config);
    return config;
  };

  return {
    isConfigured: (provider) =>
      settingOf(provider, 'CLIENT_ID') !== undefined && settingOf(provider, 'CLIENT_SECRET') !== undefined,
    addressAt,
    async authorizationUrl(key, { state, verifier, redirectUri, scopes }) {
      const provider = providers[key];
      return client.buildAuthorizationUrl(configOf(provider), {
        ...provider.parameters,
        redirect_uri: redirectUri,
        scope: scopes.join(provider.scopeSeparator ?? ' '),
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).href;
    },
    async exchange(key, { state, verifier, redirectUri, code }) {
      const callback = new URL(redirectUri);
      callback.search = new URLSearchParams({ code, state }).toString();
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      const grant = client.authorizationCodeGrant(configOf(providers[key]), callback, checks);
      return tokensOf(providers[key], await grant.catch(asFailure));
    },
    async refresh(key, refreshToken) {
      const grant = client.refreshTokenGrant(configOf(providers[key]), refreshToken);
      return tokensOf(providers[key], await grant.catch(asFailure));
    },
    async revoke(key, tokens) {
      const { revocation } = providers[key];
      if (revocation === undefined) return;
      if (typeof revocation === 'string') {
        // Revoking the refresh token also ends its access tokens (RFC 7009, section 2.1).
        await client
          .tokenRevocation(configOf(providers[key]), tokens.refreshToken ?? tokens.accessToken)
          .catch(asRevocationFailure);
        return;
      }
      const request = revocation(tokens);
      if (!request) return;
      const { url, method, headers, isRevoked } = request;
      const response = await fetch(addressAt(key, url), { method, headers }).catch(asFailure);
      const body = (await response.json().catch(() => ({}))) as TokenBody;
      // The provider does not know the token any more.
      if (response.status === 404) return;
      if (!response.ok) throw new OauthError(isOutage(response.status) ? 'provider_unavailable' : 'provider_refused');
      if (!isRevoked(body)) throw new OauthError('provider_unavailable');
    },
  };
}

/** A response in the form of the standard, and without an ID token, because connections are not sign-ins. */
async function standardized(provider: Provider, response: Response, isToken: boolean): Promise<Response> {
  if (isOutage(response.status)) throw new OauthError('provider_unavailable');
  if (!isToken) return response;
  const parsed: unknown = await response.json().catch(() => undefined);
  if (typeof parsed !== 'object' || parsed === null) throw new OauthError('provider_unavailable');
  const { id_token: _, ...body } = parsed as TokenBody;
  const standard = provider.standardize?.(response.status, body) ?? { status: response.status, body };
  if (isOutage(standard.status)) throw new OauthError('provider_unavailable');
  return Response.json(standard.body, { status: standard.status });
}

function isOutage(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function tokensOf({ scopeSeparator = ' ' }: Provider, body: client.TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken = null, expires_in, scope } = body;
  return {
    accessToken,
    refreshToken,
    expiresInSeconds: typeof expires_in === 'number' && expires_in > 0 ? expires_in : null,
    scopes: typeof scope === 'string' ? scope.split(scopeSeparator).filter(Boolean) : null,
    body,
  };
}

/** Texts of providers may name people or contain tokens, so they are neither shown nor logged. */
function asFailure(error: unknown): never {
  for (let one = error as { cause?: unknown } | undefined; one; one = one.cause as { cause?: unknown } | undefined) {
    if (one instanceof OauthError) throw one;
    if (!(one instanceof client.ResponseBodyError)) continue;
    if (one.error === 'invalid_grant') throw new OauthError('invalid_grant');
    throw new OauthError(temporary.includes(one.error) ? 'provider_unavailable' : 'provider_refused');
  }
  throw new OauthError('provider_unavailable');
}

/** Some providers answer that a token is invalid instead of success, when it was revoked or has expired before. */
function asRevocationFailure(error: unknown): void {
  if (error instanceof client.ResponseBodyError && ['invalid_token', 'invalid_grant'].includes(error.error)) return;
  asFailure(error);
}
