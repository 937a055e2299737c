import { isBase64url } from './base64url.ts';
import { keyOf, type Seal } from './seal.ts';

const tokenMax = 2_000;

/** Tokens that contain what a link may do. Nothing is stored for them, and they cannot be read or made without the key. */
export interface LinkTokens<What> {
  /** A token for a URL that works until `expiresAt`. */
  issue(what: What, expiresAt: Date): string;
  /** What a token is for; 'expired' after its time, undefined when it was changed, has another purpose, or its key is not listed. */
  read(token: string): What | 'expired' | undefined;
}

/**
 * Tokens of links that need no sign-in.
 * @param purpose what the links are for; a token of one purpose is not valid for another
 */
export function createLinkTokens<What extends object>(seal: Seal, purpose: string): LinkTokens<What> {
  const context = `link ${purpose}`;
  return {
    issue: (what, expiresAt) => urlSafe(seal.seal(JSON.stringify([what, expiresAt.getTime()]), context)),
    read(token) {
      const opened = open(seal, token, context);
      if (opened === undefined) return undefined;
      const [what, until] = JSON.parse(opened) as [What, number];
      return until <= Date.now() ? 'expired' : what;
    },
  };
}

function open(seal: Seal, token: string, context: string): string | undefined {
  if (token.length > tokenMax || !isBase64url(bodyOf(token))) return undefined;
  try {
    return seal.open(token, context);
  } catch {
    return undefined;
  }
}

/** The id of a key needs no change: it has letters, digits, - and _ only. */
function urlSafe(sealed: string): string {
  const body = bodyOf(sealed);
  return sealed.slice(0, sealed.length - body.length) + Buffer.from(body, 'base64').toString('base64url');
}

function bodyOf(sealed: string): string {
  const key = keyOf(sealed);
  return key === null ? sealed : sealed.slice(key.length + 1);
}
