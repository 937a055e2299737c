import { createHash } from 'node:crypto';
import { createLinkTokens, type Seal } from '@tandem/sealed';

/** The purposes of links in account mail. */
export type Purpose = 'password_reset' | 'email_verification' | 'email_change' | 'invitation';

/** The content of a link: it names the tenant, because nobody has signed in when it is followed. */
interface Target {
  tenantId: number;
  purpose: Purpose;
  /** Makes each link different. */
  nonce: string;
}

export interface AccountLinks {
  /** Issues a link with its token; the token itself is stored nowhere. */
  issue(target: { tenantId: number; purpose: Purpose; expiresAt: Date }): { url: string; token: string; hash: string };
  /** The tenant and the stored hash of a token; undefined if it was not issued here for this purpose, or has expired. */
  read(token: string, purposes: readonly Purpose[]): { tenantId: number; purpose: Purpose; hash: string } | undefined;
}

const paths: Record<Purpose, (token: string) => string> = {
  password_reset: (token) => `/reset-password?token=${token}`,
  email_verification: (token) => `/verify-email?token=${token}`,
  email_change: (token) => `/verify-email?token=${token}`,
  invitation: (token) => `/invitations/${token}`,
};

/**
 * Links of account mail. A token is encrypted and expires, so that invalid and expired links are rejected without a
 * query. The hash in the database allows one use.
 * @param baseUrl the address of the console
 */
export function accountLinks(seal: Seal, baseUrl: string): AccountLinks {
  const tokens = createLinkTokens<Target>(seal, 'account');
  return {
    issue({ tenantId, purpose, expiresAt }) {
      const token = tokens.issue({ tenantId, purpose, nonce: crypto.randomUUID() }, expiresAt);
      return { url: baseUrl + paths[purpose](token), token, hash: hashOf(token) };
    },
    read(token, purposes) {
      const target = tokens.read(token);
      if (!target || target === 'expired' || !purposes.includes(target.purpose)) return undefined;
      return { tenantId: target.tenantId, purpose: target.purpose, hash: hashOf(token) };
    },
  };
}

/** SHA-256 in hex. A fast hash is enough because a token cannot be guessed. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
