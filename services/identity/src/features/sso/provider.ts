import { name, text } from '@tandem/contract';
import { Email } from '@tandem/identity-contract';
import { createGuardedFetch, type Target } from '@tandem/outgoing';
import { createShares } from '@tandem/process';
import { fail } from '@tandem/service';
import * as client from 'openid-client';
import { isNamedBy } from './issuer.ts';

/** A tenant's client at its identity provider. */
export interface Credentials {
  tenantId: number;
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The values that bind the callback to the start of a sign-in. */
export interface Ties {
  state: string;
  nonce: string;
  /** The secret of PKCE (RFC 7636). */
  verifier: string;
}

/** The person, as the provider names them. */
export interface Person {
  subject: string;
  email: string | undefined;
  /** Undefined if the provider does not state it. */
  isEmailVerified: boolean | undefined;
  /** The domain of the Google Workspace of the account. */
  hostedDomain: string | undefined;
  firstName: string | undefined;
  lastName: string | undefined;
}

export interface SsoProviders {
  /** @throws ApiError 502 when the issuer is no reachable provider */
  discover(credentials: Credentials): Promise<void>;
  /** The address at the provider to redirect to. */
  begin(credentials: Credentials, ties: Ties, to: { redirectUri: string; email?: string | undefined }): Promise<string>;
  /**
   * Exchanges the code of the callback and verifies the ID token.
   * @throws ApiError 403 when the provider refused, 400 when the code is not valid any more, 502 when the provider fails
   */
  finish(credentials: Credentials, ties: Ties, callback: URL): Promise<Person>;
  close(): Promise<void>;
}

const nameMax = 100;
const PersonName = name(nameMax);
// OpenID Connect Core, section 2: at most 255 ASCII characters.
const Subject = text(255).min(1);
const HostedDomain = text(253).trim().toLowerCase();

const timeoutMs = 5_000;
const cachedMs = 600_000;
const cachedMax = 500;
const atOnceMax = 5;
const waitMs = 2_000;
const waitingMax = 20;

/**
 * Creates the calls to identity providers. Their metadata and keys are cached for ten minutes; each tenant's calls are
 * limited, because a slow provider must not hold up the others.
 */
export function createSsoProviders({ target, allowHttp }: { target: Target; allowHttp: boolean }): SsoProviders {
  const guarded = createGuardedFetch({ target, name: 'An identity provider', timeoutMs });
  const shares = createShares<number>(atOnceMax, waitMs, waitingMax);
  const cached = new Map<string, { config: client.Configuration; until: number }>();

  const configOf = async (credentials: Credentials): Promise<client.Configuration> => {
    const { issuer, clientId, clientSecret } = credentials;
    const key = JSON.stringify([issuer, clientId, clientSecret]);
    const known = cached.get(key);
    if (known && known.until > Date.now()) return known.config;
    const config = await client.discovery(new URL(issuer), clientId, undefined, authenticateWith(clientSecret), {
      [client.customFetch]: guarded.fetch as client.CustomFetch,
      timeout: timeoutMs / 1_000,
      // Only where private addresses are allowed too: on a developer's machine, and in tests.
      execute: allowHttp ? [client.allowInsecureRequests] : [],
    });
    // Without this, the client trusts the connection to the token endpoint and does not verify the signature.
    client.enableNonRepudiationChecks(config);
    if (!isNamedBy(config.serverMetadata().issuer, issuer)) throw new Error('The provider has another issuer');
    if (cached.size >= cachedMax) cached.clear();
    cached.set(key, { config, until: Date.now() + cachedMs });
    return config;
  };

  const limited = async <T>({ tenantId }: Credentials, work: () => Promise<T>): Promise<T> => {
    const release = await shares.enter(tenantId).catch(() => {
      throw fail('unavailable');
    });
    try {
      return await work();
    } finally {
      release();
    }
  };

  return {
    discover: (credentials) =>
      limited(credentials, async () => {
        await configOf(credentials).catch(asFailure);
      }),
    begin: (credentials, { state, nonce, verifier }, { redirectUri, email }) =>
      limited(credentials, async () => {
        const config = await configOf(credentials).catch(asFailure);
        return client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
          ...(email !== undefined && { login_hint: email }),
        }).href;
      }),
    finish: (credentials, { state, nonce, verifier }, callback) =>
      limited(credentials, async () => {
        try {
          const config = await configOf(credentials);
          const tokens = await client.authorizationCodeGrant(config, callback, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
            idTokenExpected: true,
          });
          const claims = tokens.claims() as client.IDToken;
          // Some providers put the address into the response of the userinfo endpoint only.
          const more =
            claims['email'] === undefined && config.serverMetadata().userinfo_endpoint
              ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
              : {};
          return personOf({ ...claims, ...more });
        } catch (error) {
          return asFailure(error);
        }
      }),
    close: guarded.close,
  };
}

/** Sends the secret as the provider accepts it; by Basic authentication unless it says otherwise (RFC 8414). */
function authenticateWith(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const accepted = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (accepted.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/**
 * Reads the claims with the rules of the contract, as they are stored and put into mail.
 * @throws Error if the provider breaks the rules of OpenID Connect for the subject
 */
function personOf(claims: Record<string, unknown>): Person {
  const [first, ...others] = typeof claims['name'] === 'string' ? claims['name'].trim().split(/\s+/) : [];
  return {
    subject: Subject.parse(claims['sub']),
    email: Email.safeParse(claims['email']).data,
    isEmailVerified: statesVerified(claims),
    hostedDomain: claims['hd'] === undefined ? undefined : HostedDomain.parse(claims['hd']),
    firstName: nameIn(claims['given_name']) ?? nameIn(first),
    lastName: nameIn(claims['family_name']) ?? nameIn(others.join(' ')),
  };
}

/** A name, shortened to the length of the contract; undefined if it cannot be a name. */
function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' ? PersonName.safeParse(value.slice(0, nameMax)).data : undefined;
}

/** Some providers write the claim as text. Microsoft Entra ID has `xms_edov` instead, if its administrator adds it. */
function statesVerified({ email_verified: verified, xms_edov: edov }: Record<string, unknown>): boolean | undefined {
  const stated = verified ?? edov;
  return stated === undefined ? undefined : [true, 'true', 1, '1'].includes(stated as string);
}

/** Details of provider errors may name people, so they are neither shown nor logged. */
function asFailure(error: unknown): never {
  if (error instanceof client.AuthorizationResponseError) throw fail('sso_refused');
  // Such as invalid_grant, for a code that was used before.
  if (error instanceof client.ResponseBodyError && error.status < 500) throw fail('sso_expired');
  throw fail('sso_failed');
}
