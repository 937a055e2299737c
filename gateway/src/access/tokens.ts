import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Log } from '@tandem/process';
import jsonwebtoken from 'jsonwebtoken';
import { ApiError } from '../http/api-error.ts';

/** What a token of ours says, with ids as the public codes. */
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
   * @throws ApiError 503 when the key it names cannot be fetched
   */
  read(token: string, audience: 'platform' | 'portal'): Promise<Claims | undefined>;
}

type Jwk = { kid?: string } & Record<string, unknown>;

const refetchMs = 5_000;
const leewaySeconds = 60;
const cacheMax = 10_000;

/**
 * Verifies tokens by identity's public keys. The algorithm is pinned to RS256; issuer, audience and times are checked.
 * Keys are fetched when a token names one that is not known, at most once in 5 s.
 */
export function createTokens(options: { fetchKeys: () => Promise<Jwk[]>; issuer: string; log: Log }): Tokens {
  const { fetchKeys, issuer, log } = options;
  let keys = new Map<string, KeyObject>();
  let fetchedAt = 0;
  let fetching: Promise<void> | undefined;
  const verified = new Map<string, Claims>();

  const refresh = async () => {
    const fetched = await fetchKeys();
    keys = new Map(fetched.map((jwk) => [String(jwk.kid), createPublicKey({ key: jwk as never, format: 'jwk' })]));
    fetchedAt = Date.now();
  };

  const keyFor = async (kid: string): Promise<KeyObject | undefined> => {
    if (keys.has(kid) || Date.now() - fetchedAt < refetchMs) return keys.get(kid);
    // Everybody who comes meanwhile waits for the same answer.
    fetching ??= refresh()
      .catch((error: unknown) => {
        log.warn('public keys could not be fetched', { error });
        // Whether the token is good cannot be said now: not the caller's fault.
        throw new ApiError('unavailable', { retryAfter: 1 });
      })
      .finally(() => {
        fetching = undefined;
      });
    await fetching;
    return keys.get(kid);
  };

  return {
    async read(token, audience) {
      const known = verified.get(token);
      if (known) return known.aud === audience && known.exp + leewaySeconds > Date.now() / 1_000 ? known : undefined;
      const kid = keyIdOf(token);
      const key = typeof kid === 'string' ? await keyFor(kid) : undefined;
      if (!key) return undefined;
      try {
        const claims = jsonwebtoken.verify(token, key, {
          algorithms: ['RS256'],
          issuer,
          audience,
          clockTolerance: leewaySeconds,
        }) as unknown as Claims;
        if (verified.size >= cacheMax) verified.clear();
        verified.set(token, claims);
        return claims;
      } catch {
        // Expired, forged or for somebody else: to the caller it is all one.
        return undefined;
      }
    },
  };
}

/** The key that a token names. Whatever is no token names none: the library throws when only the payload is not JSON. */
function keyIdOf(token: string): unknown {
  try {
    return jsonwebtoken.decode(token, { complete: true })?.header.kid;
  } catch {
    return undefined;
  }
}
