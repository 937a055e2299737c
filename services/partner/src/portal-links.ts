import { createHash } from 'node:crypto';
import type { Environment } from '@tandem/caller';
import { portalLinkMinutes } from '@tandem/partner-contract';
import { createLinkTokens, type Seal } from '@tandem/sealed';

/** The purposes of links in messages to portal users. */
export type PortalPurpose = keyof typeof portalLinkMinutes;

/** The tenant and environment of a link: nobody has signed in when it is followed. */
interface Place {
  tenantId: number;
  environment: Environment;
}

export interface PortalLinks {
  /** The address of the portal; undefined without PORTAL_URL, because the API has no portal. */
  home: string | undefined;
  /** Issues a link; its token is stored nowhere. */
  issue(place: Place, purpose: PortalPurpose): { url: string; hash: string; expiresAt: Date };
  /** The place and stored hash of a token; undefined if it was not issued for these purposes, or has expired. */
  read(
    token: string,
    purposes: readonly PortalPurpose[],
  ): (Place & { purpose: PortalPurpose; hash: string }) | undefined;
}

const paths: Record<PortalPurpose, string> = {
  invitation: '/portal/invitation',
  application: '/portal/application',
  magic_link: '/portal/sign-in',
  password_reset: '/portal/reset-password',
};
const minuteMs = 60_000;

/**
 * Links of messages to portal users. A token is encrypted and expires, so that invalid and expired links are rejected
 * without a query. The hash in the database allows one use.
 */
export function createPortalLinks(
  seal: Seal,
  { portalUrl, publicUrl }: { portalUrl: string | undefined; publicUrl: string },
): PortalLinks {
  const tokens = createLinkTokens<Place & { purpose: PortalPurpose; nonce: string }>(seal, 'portal');
  return {
    home: portalUrl,
    issue({ tenantId, environment }, purpose) {
      const expiresAt = new Date(Date.now() + portalLinkMinutes[purpose] * minuteMs);
      const token = tokens.issue({ tenantId, environment, purpose, nonce: crypto.randomUUID() }, expiresAt);
      // Applicants cannot use the portal yet.
      const baseUrl = purpose === 'application' ? publicUrl : (portalUrl ?? publicUrl);
      return { url: `${baseUrl}${paths[purpose]}?token=${token}`, hash: hashOf(token), expiresAt };
    },
    read(token, purposes) {
      const target = tokens.read(token);
      if (!target || target === 'expired' || !purposes.includes(target.purpose)) return undefined;
      const { tenantId, environment, purpose } = target;
      return { tenantId, environment, purpose, hash: hashOf(token) };
    },
  };
}

/** SHA-256 in hex. A fast hash is enough because a token cannot be guessed. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
