/**
 * Whether a text is base64url in the one form that is written. Node reads others too: with padding, other alphabets, strange
 * characters, or bits after the last byte.
 */
export function isBase64url(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}
