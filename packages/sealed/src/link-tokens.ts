import { isBase64url } from './base64url.ts';
import type { Seal } from './seal.ts';

const tokenMax = 2_000;

/** What a link may do, in the link itself: nothing is stored for it, and nobody reads or makes one without the key. */
export interface LinkTokens<What> {
  /** A token for a URL that works until `expiresAt`. */
  issue(what: What, expiresAt: Date): string;
  /** What a token is for; undefined when it is not one of these or was changed, 'expired' when its time is over. */
  read(token: string): What | 'expired' | undefined;
}

/**
 * Tokens of links that need no sign-in.
 * @param purpose what the links are for: a token of one purpose means nothing to another
 */
export function createLinkTokens<What extends object>(seal: Seal, purpose: string): LinkTokens<What> {
  const context = `link ${purpose}`;
  return {
    issue(what, expiresAt) {
      const sealed = seal.seal(JSON.stringify([what, expiresAt.getTime()]), context);
      return Buffer.from(sealed, 'base64').toString('base64url');
    },
    read(token) {
      const opened = open(seal, token, context);
      if (opened === undefined) return undefined;
      const [what, until] = JSON.parse(opened) as [What, number];
      return until <= Date.now() ? 'expired' : what;
    },
  };
}

function open(seal: Seal, token: string, context: string): string | undefined {
  if (token.length > tokenMax || !isBase64url(token)) return undefined;
  try {
    return seal.open(token, context);
  } catch {
    return undefined;
  }
}
