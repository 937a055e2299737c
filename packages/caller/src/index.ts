// The signed caller context: the gateway signs who is calling, and every service verifies it.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { readSecretList } from '@tandem/secrets';

export { countedAddress } from './counted-address.ts';

export type Environment = 'live' | 'sandbox';

/** The caller of a request; fields that do not apply to this type of caller are absent. */
export interface Caller {
  /** user: a person with a token. key: a program. system: one of our services. anonymous: a public operation. */
  type: 'user' | 'key' | 'portal' | 'system' | 'anonymous';
  tenantId?: number;
  environment: Environment;
  /** The signed-in user, or the owner of the key. */
  userId?: number;
  /** The user on whose behalf the key acts. */
  onBehalfOf?: number;
  keyId?: number;
  sessionId?: number;
  /** In a partner's portal: the partner and its portal user. */
  partnerId?: number;
  portalUserId?: number;
  /** For system: the name of the service. For people: the name in the audit log. */
  name?: string;
  permissions: readonly string[];
  /** The features of the tenant, from its plan and addons. Absent for services, which are not limited by them. */
  features?: readonly string[];
  /** For system: whose records the call is limited to. Absent for all records of the tenant. */
  narrow?: { userId: number; teamIds?: readonly number[] };
  teamIds?: readonly number[];
  ip?: string;
  userAgent?: string | undefined;
  /** The domain that the request names as its host, in lower case without a port: only for rows with `hosts`. */
  host?: string;
  requestId: string;
  /** The result of the call that the gateway made for this request: see `performs` of a row. */
  performed?: { status: number; code?: string };
  /** For key: the tenant's calls this month including this one, for the usage header of the response. */
  usage?: number;
}

interface Signed {
  caller: Caller;
  /** Method and path of the request; the context is valid for no other. */
  for: string;
  /** Expiry in Unix seconds. */
  exp: number;
}

export const callerHeader = 'x-ctx';

const lifetimeSeconds = 30;

/** The signature is valid, but the context has expired: the request was delayed too long, or is a replay. */
export class ExpiredCallerError extends Error {}

export interface CallerSigner {
  /** The header value for one request to `path` (without its query). */
  sign(caller: Caller, method: string, path: string): string;
  /**
   * Returns the caller of a request, or undefined when the header is absent, forged or signed for another request.
   * @throws ExpiredCallerError when the gateway signed it for this request, but it has expired
   */
  verify(header: string | undefined, method: string, path: string): Caller | undefined;
}

/**
 * Signs with the first secret and accepts all of them, so that a secret can be rotated without downtime.
 * @param secrets INTERNAL_SECRETS: `kid:secret[,kid:secret]`, each secret at least 32 characters
 * @throws Error when it has another format
 */
export function createCallerSigner(secrets: string, now: () => number = Date.now): CallerSigner {
  // Key objects, because createHmac would convert a text to a key for every signature.
  const byKid = new Map(readKeys(secrets));
  const current = byKid.entries().next().value as [string, KeyObject];

  return {
    sign(caller, method, path) {
      const signed: Signed = { caller, for: `${method} ${path}`, exp: Math.floor(now() / 1000) + lifetimeSeconds };
      const payload = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${current[0]}.${payload}.${mac(current[1], payload)}`;
    },
    verify(header, method, path) {
      const [kid, payload, signature, ...rest] = header?.split('.') ?? [];
      const secret = kid === undefined ? undefined : byKid.get(kid);
      if (!secret || !payload || !signature || rest.length) return undefined;
      const expected = Buffer.from(mac(secret, payload));
      const actual = Buffer.from(signature);
      if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
      const signed = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Signed;
      if (signed.for !== `${method} ${path}`) return undefined;
      if (signed.exp < now() / 1000) throw new ExpiredCallerError(`Expired at ${signed.exp}`);
      return signed.caller;
    },
  };
}

function mac(secret: KeyObject, payload: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

function readKeys(setting: string): [kid: string, key: KeyObject][] {
  return readSecretList(setting).map(({ id, value }) => {
    if (id === null || value.length < 32)
      throw new Error('INTERNAL_SECRETS must contain kid:secret pairs, each secret with at least 32 characters');
    return [id, createSecretKey(value, 'utf8')];
  });
}

/** The user to whom a change is attributed: the one on whose behalf the call is made, else the caller. */
export function actingUserId(caller: Pick<Caller, 'onBehalfOf' | 'userId'>): number | undefined {
  return caller.onBehalfOf ?? caller.userId;
}

/** The default team for records of the acting user: their only team. */
export function onlyTeamOf({ teamIds = [] }: Caller): number | null {
  return teamIds.length === 1 ? (teamIds[0] as number) : null;
}
