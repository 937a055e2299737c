import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { portalAudience, tokenAudience, tokenIssuer } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import { readSecretList } from '@tandem/secrets';
import jsonwebtoken from 'jsonwebtoken';

export interface Tokens {
  /** An access token for a session. */
  access(of: {
    tenantId: number;
    userId: number;
    sessionId: number;
    role: string;
    permissions: readonly string[];
  }): string;
  /** An access token for a session in a partner's portal. */
  portal(of: { tenantId: number; portalUserId: number; sessionId: number }): string;
  /** The public keys whose tokens are valid, as JSON Web Keys; the first one belongs to the key that signs. */
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
 * Issues access tokens: JWT signed by RS256, whose claims hold public ids. The first key signs.
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
  const place = ({ tenantId, sessionId }: { tenantId: number; sessionId: number }) => ({
    tid: ids.encode('tenant', tenantId, tenantId),
    sid: ids.encode('session', tenantId, sessionId),
  });
  return {
    publicKeys,
    access: ({ role, permissions, ...of }) =>
      sign({ ...place(of), role, perms: permissions }, tokenAudience, ids.encode('user', of.tenantId, of.userId)),
    portal: (of) =>
      sign(
        { ...place(of), role: 'portal', perms: [] },
        portalAudience,
        ids.encode('portal_user', of.tenantId, of.portalUserId),
      ),
  };
}

/**
 * The private keys of JWT_PRIVATE_KEY: PEMs of RSA keys, in which `\n` may stand for line ends, which some platforms cannot store.
 * @throws Error when one is no RSA key of at least 2048 bits
 */
export function readSigningKeys(setting: string): readonly [current: KeyObject, ...others: KeyObject[]] {
  return readSecretList(setting).map(({ value }) => readSigningKey(value)) as [KeyObject, ...KeyObject[]];
}

function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < modulusBitsMin) throw new Error('not an RSA key of 2048 or more bits');
  return key;
}

/** The key id is the thumbprint of RFC 7638, so all instances know a key by the same id, wherever it stands in their lists. */
function publicJwk(privateKey: KeyObject): PublicJwk {
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' }) as { n: string; e: string };
  // The required members in lexical order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ e, kty: 'RSA', n }));
  return { kty: 'RSA', n, e, kid: thumbprint.digest('base64url'), use: 'sig', alg: 'RS256' };
}

/** A refresh token and what is stored of it. */
export function createRefreshToken(): { token: string; hash: string } {
  const token = randomBytes(refreshBytes).toString('base64url');
  return { token, hash: hashRefreshToken(token) };
}

/** SHA-256 in hex; the token is random, so a fast hash is enough. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
