import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Log } from '@tandem/process';
import jsonwebtoken from 'jsonwebtoken';
import { GatewayError } from '../http/gateway-error.ts';

/** The claims of an access token; ids are public codes. */
export interface Claims {
  sub: string;
  tid: string;
  sid: string;
  aud: string;
  exp: number;
}

export interface Tokens {
  /**
   * The claims of a valid token for one of the audiences; undefined for anything else.
   * @throws GatewayError 503 when the key it names cannot be fetched
   */
  read(token: string, audience: 'platform' | 'portal'): Promise<Claims | undefined>;
}

type Jwk = { kid?: string } & Record<string, unknown>;

const refetchMs = 5_000;
const retryMs = 1_000;
const freshMs = 60_000;
/** How long a token is accepted after it has expired, for clocks that differ. */
export const leewaySeconds = 60;
const cacheMax = 10_000;

/** Verifies access tokens with identity's public keys: signature (RS256 only), issuer, audience and times. */
export function createTokens(options: {
  fetchKeys: () => Promise<Jwk[]>;
  issuer: string;
  log: Log;
  now?: () => number;
}): Tokens {
  const { issuer, now = Date.now } = options;
  const verified = new Map<string, { claims: Claims; kid: string }>();
  const keys = createKeySet({ ...options, now });

  return {
    async read(token, audience) {
      const known = verified.get(token);
      if (known && keys.has(known.kid))
        return known.claims.aud === audience && known.claims.exp + leewaySeconds > now() / 1_000
          ? known.claims
          : undefined;
      const kid = keyIdOf(token);
      const key = typeof kid === 'string' ? await keys.find(kid) : undefined;
      if (!key) return undefined;
      try {
        const claims = jsonwebtoken.verify(token, key, {
          algorithms: ['RS256'],
          issuer,
          audience,
          clockTolerance: leewaySeconds,
          clockTimestamp: Math.floor(now() / 1_000),
        }) as Claims;
        if (verified.size >= cacheMax) verified.clear();
        verified.set(token, { claims, kid: kid as string });
        return claims;
      } catch {
        // The caller gets the same answer for an expired token, a forged one, and one for another audience.
        return undefined;
      }
    },
  };
}

interface KeySet {
  /** Whether a key is listed. Starts a fetch in the background when the list is older than a minute. */
  has(kid: string): boolean;
  /**
   * The public key with this id; fetches the list when it has no such key.
   * @throws GatewayError 503 when the key is not listed and the list cannot be fetched
   */
  find(kid: string): Promise<KeyObject | undefined>;
}

/**
 * The public keys of identity. They are fetched again after a minute, which drops removed keys, and when a token names
 * an unknown key. There is at most one fetch in 5 s (1 s after a failed one), so that invented key ids cost identity
 * next to nothing. While identity is unavailable, the last list stays valid.
 */
function createKeySet(options: { fetchKeys: () => Promise<Jwk[]>; log: Log; now: () => number }): KeySet {
  const { fetchKeys, log, now } = options;
  let keys = new Map<string, KeyObject>();
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let fetching: Promise<void> | undefined;

  const refresh = async (): Promise<void> => {
    triedAt = now();
    try {
      const fetched = await fetchKeys();
      keys = new Map(fetched.map((jwk) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]));
      fetchedAt = now();
    } catch (error) {
      log.warn('public keys could not be fetched', { error });
    }
  };
  /** Concurrent requests share one fetch. */
  const fetchOnce = (): Promise<void> => {
    fetching ??= refresh().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const hasFailed = () => fetchedAt < triedAt;
  const isFetchAllowed = () => fetching !== undefined || now() - triedAt >= (hasFailed() ? retryMs : refetchMs);
  const has = (kid: string): boolean => {
    if (now() - fetchedAt >= freshMs && isFetchAllowed()) void fetchOnce();
    return keys.has(kid);
  };

  return {
    has,
    async find(kid) {
      if (has(kid)) return keys.get(kid);
      if (isFetchAllowed()) await fetchOnce();
      // The last attempt failed: the key may exist, so the token cannot be refused.
      if (hasFailed() && !keys.has(kid)) throw new GatewayError('unavailable', { retryAfter: 1 });
      return keys.get(kid);
    },
  };
}

/** The key id in a token's header; undefined for malformed tokens (`decode` throws if only the payload is not JSON). */
function keyIdOf(token: string): unknown {
  try {
    return jsonwebtoken.decode(token, { complete: true })?.header.kid;
  } catch {
    return undefined;
  }
}
