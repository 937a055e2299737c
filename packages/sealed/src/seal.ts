/** Encrypts small values under a list of keys: the first key encrypts, and every listed key decrypts. */
export interface Seal {
  /** The id of the encrypting key; null for a key without an id. */
  readonly currentKey: string | null;
  /**
   * Encrypts a text; `context` (such as the table and record) must be the same when opening, so that a value cannot be
   * moved to another record. The result is base64, after the id of the key and a dot: `k2.…`. A key without an id
   * writes base64 alone.
   */
  seal(text: string, context: string): string;
  /**
   * Decrypts a sealed value; also accepts base64url.
   * @throws Error when the value was changed, belongs to another context, or its key is not listed
   */
  open(sealed: string, context: string): string;
  /** A keyed, deterministic digest: without the key it cannot be checked against guesses of the text. */
  digest(text: string): string;
  /**
   * The digests of a text under every listed key, the current one first, for comparing with a digest stored earlier.
   */
  digests(text: string): readonly [current: string, ...others: string[]];
}

/** The key id of a sealed value; null for a value without one. */
export function keyOf(sealed: string): string | null {
  const end = sealed.indexOf('.');
  return end < 0 ? null : sealed.slice(0, end);
}
