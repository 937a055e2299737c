import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { portalAudience, tokenAudience, tokenIssuer } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { readSecretList } from '@tandem/secrets';
import jsonwebtoken from 'jsonwebtoken';

export interface Tokens {
  /** Issues an access token for a user session. */
  access(session: {
    tenantId: number;
    userId: number;
    sessionId: number;
    role: string;
    permissions: readonly string[];
  }): string;
  /** Issues an access token for a partner portal session. */
  portal(session: { tenantId: number; portalUserId: number; sessionId: number }): string;
  /** Public keys of all accepted signing keys, as JSON Web Keys; the first is the current one. */
  publicKeys: PublicJwk[];
}

interface PublicJwk {
  kty: 'RSA';
  n: string;
  e: string;
  kid: string;
  use: 'sig';
  alg: 'RS256';
}

export const accessSeconds = 900;
export const refreshDays = 30;

const refreshBytes = 32;
const modulusBitsMin = 2_048;

/**
 * Issues access tokens: JWTs signed with RS256 by the first key. Their claims contain public ids.
 * @param setting JWT_PRIVATE_KEY
 */
export function createTokens(setting: string, ids: IdCodec): Tokens {
  const privateKeys = readSigningKeys(setting);
  const [current] = privateKeys;
  const publicKeys = privateKeys.map(publicJwk);
  const [{ kid }] = publicKeys as [PublicJwk];
  const sign = (claims: object, audience: string, subject: string) =>
    jsonwebtoken.sign(claims, current, {
      algorithm: 'RS256',
      keyid: kid,
      issuer: tokenIssuer,
      audience,
      subject,
      expiresIn: accessSeconds,
    });
  const commonClaims = ({ tenantId, sessionId }: { tenantId: number; sessionId: number }) => ({
    tid: ids.encode('tenant', tenantId, tenantId),
    sid: ids.encode('session', tenantId, sessionId),
  });
  return {
    publicKeys,
    access: ({ role, permissions, ...session }) =>
      sign(
        { ...commonClaims(session), role, perms: permissions },
        tokenAudience,
        ids.encode('user', session.tenantId, session.userId),
      ),
    portal: (session) =>
      sign(
        { ...commonClaims(session), role: 'portal', perms: [] },
        portalAudience,
        ids.encode('portal_user', session.tenantId, session.portalUserId),
      ),
  };
}

/**
 * Parses JWT_PRIVATE_KEY: RSA keys in PEM format. `\n` may replace line breaks, which some platforms cannot store.
 * @throws Error if a key is not an RSA key of at least 2048 bits
 */
export function readSigningKeys(setting: string): readonly [current: KeyObject, ...others: KeyObject[]] {
  return readSecretList(setting).map(({ value }) => readSigningKey(value)) as [KeyObject, ...KeyObject[]];
}

function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < modulusBitsMin)
    throw new Error('not an RSA key with at least 2048 bits');
  return key;
}

/** The key id is the RFC 7638 thumbprint, so it does not depend on the order of keys in the setting. */
function publicJwk(privateKey: KeyObject): PublicJwk {
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' }) as { n: string; e: string };
  // RFC 7638 hashes the required members in lexicographic order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ e, kty: 'RSA', n }));
  return { kty: 'RSA', n, e, kid: thumbprint.digest('base64url'), use: 'sig', alg: 'RS256' };
}

/** Creates a refresh token and the hash to store. */
export function createRefreshToken(): { token: string; hash: string } {
  const token = randomBytes(refreshBytes).toString('base64url');
  return { token, hash: hashRefreshToken(token) };
}

/** SHA-256 in hex. A fast hash is enough because tokens are random. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
