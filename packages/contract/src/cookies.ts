/** The attributes of a cookie. HttpOnly is not among them, because every cookie has it. */
export interface CookieAttributes {
  path: string;
  /** Zero deletes the cookie. */
  maxAgeSeconds: number;
  sameSite: 'Strict' | 'Lax';
  /** Whether browsers send it over https only. */
  secure: boolean;
}

const cookieName = /^[\w-]+$/;
// The API sets only tokens and JSON Web Tokens, which need no quotes or escapes.
const cookieValue = /^[\w.~-]{1,4000}$/;

/**
 * Reads the named cookies of a Cookie header (RFC 6265, section 5.4). If a name occurs more than once, the first value
 * is used: browsers send the one with the longest path first. Values that no operation sets are ignored.
 */
export function readCookies(header: string | undefined, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of header?.split(';') ?? []) {
    const cut = pair.indexOf('=');
    const name = pair.slice(0, cut).trim();
    const value = pair.slice(cut + 1).trim();
    if (cut > 0 && names.includes(name) && cookieValue.test(value)) found[name] ??= value;
  }
  return found;
}

/** Writes a Cookie header; undefined without a cookie. */
export function cookieHeader(cookies: Record<string, string>): string | undefined {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  return pairs.length ? pairs.join('; ') : undefined;
}

/**
 * Writes a Set-Cookie header.
 * @throws Error when name or value would need escapes
 */
export function setCookieHeader(name: string, value: string, attributes: CookieAttributes): string {
  const { path, maxAgeSeconds, sameSite, secure } = attributes;
  if (!cookieName.test(name) || !(maxAgeSeconds === 0 || cookieValue.test(value)))
    throw new Error(`The cookie ${name} contains characters that a cookie may not have`);
  const flags = `Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
  return `${name}=${value}; ${flags}`;
}
