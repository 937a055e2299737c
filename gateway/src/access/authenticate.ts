import type { IncomingMessage } from 'node:http';
import { type Pepper, readApiKey } from '@tandem/api-keys';
import { countedAddress } from '@tandem/caller';
import type { IdCodec } from '@tandem/ids';
import { addressList, contains } from '../http/client-ip.ts';
import { GatewayError } from '../http/gateway-error.ts';
import { rateHeaders } from '../http/headers.ts';
import type { Route } from '../routes.ts';
import type { Principals, Who } from './principals.ts';
import { leewaySeconds, type Tokens } from './tokens.ts';

/** A caller whose credential was verified, and the environment of the request. */
export interface Authenticated {
  who: Who;
  by: 'key' | 'user' | 'portal';
  environment: 'live' | 'sandbox';
  /** When the credential expires, in milliseconds since 1970. */
  endsAt: number | undefined;
}

export interface Authenticator {
  /**
   * The caller of a request, by the audience of its route; undefined on a public route.
   * @throws GatewayError 400 for two credentials or an environment that the credential does not belong to, 401 for missing
   * or invalid credentials, 403 for a token of another tenant
   */
  authenticate(request: IncomingMessage, route: Route, ip: string): Promise<Authenticated | undefined>;
}

const addressesMax = 10_000;
const hashesMax = 10_000;
const portalEnded = 'The session has ended. Sign in again';

/** Authenticates by API key, user access token, or partner portal token. */
export function createAuthenticator(parts: {
  principals: Principals;
  tokens: Tokens;
  ids: IdCodec;
  pepper: Pepper;
  failuresPerMinute: number;
}): Authenticator {
  const { principals, tokens, ids, pepper } = parts;
  const failures = failureCounter(parts.failuresPerMinute);

  // Hashes of keys that were valid before: parsing, checksum and HMAC cost as much as all other checks together.
  const hashes = new Map<string, string>();
  const remember = (key: string, hash: string) => {
    if (hashes.has(key)) return;
    if (hashes.size >= hashesMax) hashes.clear();
    hashes.set(key, hash);
  };

  const byKey = async (request: IncomingMessage, key: string, ip: string): Promise<Authenticated> => {
    // A malformed key, or one with a wrong checksum, is rejected without a look-up.
    if (!hashes.has(key) && !readApiKey(key)) throw failures.reject(ip);
    const hash = hashes.get(key) ?? pepper.hash(key);
    // Too many failures from an address block unknown keys only, never a key that was valid before.
    if (failures.tooMany(ip) && !hashes.has(key) && !principals.knows(hash)) throw failures.reject(ip);
    const who = await principals.byKey(hash, () => pepper.previous(key));
    if (who) remember(key, hash);
    if (!who || (who.expiresAt && who.expiresAt.getTime() <= Date.now())) throw failures.reject(ip);
    if (who.allowedIps?.length && !mayCallFrom(who.allowedIps, ip)) throw failures.reject(ip);
    if (who.suspended) throw new GatewayError('tenant_suspended');
    const environment = boundEnvironment(request, who.environment ?? 'live', 'the API key');
    return { who, by: 'key', environment, endsAt: who.expiresAt?.getTime() };
  };

  const byToken = async (
    request: IncomingMessage,
    audience: 'platform' | 'portal',
    ip: string,
  ): Promise<Authenticated> => {
    const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (failures.tooMany(ip) && !token) throw failures.reject(ip);
    const claims = token ? await tokens.read(token, audience) : undefined;
    const tenantId = claims && ids.decode('tenant', undefined, claims.tid);
    const sessionId = claims && tenantId && ids.decode('session', tenantId, claims.sid);
    const who = tenantId && sessionId ? await principals.bySession(tenantId, sessionId) : undefined;
    // The token was issued to this caller, so that the API key, which the usual message names, is not what is missing.
    const message = claims && !who && audience === 'portal' ? portalEnded : undefined;
    // A session grants access to either the platform or a portal, regardless of the token's audience.
    if (!claims || !who || !tenantId || (who.partnerId !== null) !== (audience === 'portal'))
      throw failures.reject(ip, message);
    if (who.suspended) throw new GatewayError('tenant_suspended');
    if (audience === 'platform') checkTenantHeader(request, tenantId, ids);
    const environment = who.environment
      ? boundEnvironment(request, who.environment, 'the session')
      : chosenEnvironment(request);
    const endsAt = (claims.exp + leewaySeconds) * 1_000;
    return { who, by: audience === 'portal' ? 'portal' : 'user', environment, endsAt };
  };

  return {
    async authenticate(request, route, ip) {
      if (route.audience === 'public') return undefined;
      const { 'x-api-key': key, authorization } = request.headers;
      if (key !== undefined && authorization !== undefined) throw new GatewayError('two_credentials');
      if (route.audience === 'portal') return byToken(request, 'portal', ip);
      if (key !== undefined) return byKey(request, String(key), ip);
      return byToken(request, 'platform', ip);
    },
  };
}

function checkTenantHeader(request: IncomingMessage, tenantId: number, ids: IdCodec): void {
  const requested = request.headers['x-tenant-id'];
  if (typeof requested === 'string' && ids.decode('tenant', tenantId, requested) === tenantId) return;
  throw new GatewayError('forbidden', {
    errors: [{ field: 'X-Tenant-Id', message: 'Must be the id of the tenant that the token belongs to' }],
  });
}

function chosenEnvironment(request: IncomingMessage): 'live' | 'sandbox' {
  const requested = request.headers['x-environment'] ?? 'live';
  if (requested === 'live' || requested === 'sandbox') return requested;
  throw new GatewayError('validation_failed', {
    errors: [{ field: 'X-Environment', message: 'Must be live or sandbox' }],
  });
}

/**
 * The environment that a credential belongs to.
 * @throws GatewayError 400 when X-Environment names another one: the caller means other data than they would get
 */
function boundEnvironment(
  request: IncomingMessage,
  environment: 'live' | 'sandbox',
  credential: string,
): 'live' | 'sandbox' {
  const requested = request.headers['x-environment'];
  if (requested === undefined || requested === environment) return environment;
  const message = `Does not match ${credential}, which belongs to ${environment}: omit the header, or use a credential of the other environment`;
  throw new GatewayError('environment_mismatch', { errors: [{ field: 'X-Environment', message }] });
}

const lists = new WeakMap<readonly string[], ReturnType<typeof addressList>>();

function mayCallFrom(allowed: readonly string[], ip: string): boolean {
  const list = lists.get(allowed) ?? addressList(allowed);
  lists.set(allowed, list);
  return list === undefined || contains(list, ip);
}

/**
 * Failed authentications by address in the current minute. Above the limit, unknown keys are rejected without a look-up.
 */
function failureCounter(max: number) {
  let minute = 0;
  const counts = new Map<string, number>();
  const roll = () => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute || counts.size > addressesMax) counts.clear();
    minute = now;
  };
  const tooMany = (ip: string) => {
    roll();
    return (counts.get(countedAddress(ip)) ?? 0) >= max;
  };
  return {
    tooMany,
    reject(ip: string, message?: string): GatewayError {
      const resetIn = 60 - (Math.floor(Date.now() / 1_000) % 60);
      if (tooMany(ip))
        return new GatewayError('rate_limited', { retryAfter: resetIn, headers: rateHeaders(max, 0, resetIn) });
      const address = countedAddress(ip);
      const count = (counts.get(address) ?? 0) + 1;
      counts.set(address, count);
      const headers = rateHeaders(max, max - count, resetIn);
      return new GatewayError('unauthenticated', { headers, ...(message !== undefined && { message }) });
    },
  };
}
