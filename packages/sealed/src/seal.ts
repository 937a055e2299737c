/** Encrypts small values under a list of keys: the first key seals, and every listed key opens. */
export interface Seal {
  /** The id of the key that seals; null for a key without an id. */
  readonly currentKey: string | null;
  /**
   * Encrypts a text; `context` (such as the table and record) must be the same when opening, so that a value cannot be moved.
   * The result is base64, after the id of the key and a dot: `k2.…`. A key without an id writes base64 alone.
   */
  seal(text: string, context: string): string;
  /**
   * Decrypts what `seal` wrote; also takes base64url.
   * @throws Error when the value was changed, belongs to another context, or its key is not listed
   */
  open(sealed: string, context: string): string;
  /** The same text always gives the same digest; without the key a digest cannot be checked against guesses of the text. */
  digest(text: string): string;
  /** The digests of a text under every listed key, the current one first: for comparing with a digest that was stored earlier. */
  digests(text: string): readonly [current: string, ...others: string[]];
}

/** The id of the key that a sealed value names; null for a value without one. */
export function keyOf(sealed: string): string | null {
  const end = sealed.indexOf('.');
  return end < 0 ? null : sealed.slice(0, end);
}
