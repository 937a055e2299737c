import { createHash, createPublicKey, randomBytes } from 'node:crypto';
import { portalAudience, tokenAudience, tokenIssuer } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
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
  /** The public key of the deployment as a JSON Web Key. */
  publicKey: { kty: 'RSA'; n: string; e: string; kid: string; use: 'sig'; alg: 'RS256' };
}

export const accessSeconds = 900;
export const refreshDays = 30;

const refreshBytes = 32;

/**
 * Issues access tokens: JWT signed by RS256, whose claims hold public ids.
 * @param privateKey JWT_PRIVATE_KEY
 */
export function createTokens(privateKey: string, ids: IdCodec): Tokens {
  const { n, e } = createPublicKey(privateKey).export({ format: 'jwk' }) as { n: string; e: string };
  // RFC 7638: the required members in lexical order.
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  const sign = (claims: object, audience: string, subject: string) =>
    jsonwebtoken.sign(claims, privateKey, {
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
    publicKey: { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' },
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

/** A refresh token and what is stored of it. */
export function createRefreshToken(): { token: string; hash: string } {
  const token = randomBytes(refreshBytes).toString('base64url');
  return { token, hash: hashRefreshToken(token) };
}

/** SHA-256 in hex; the token is random, so a fast hash is enough. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
