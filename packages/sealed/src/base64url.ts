/**
 * Whether a text is canonical base64url. Node also accepts padding, other alphabets, invalid characters, and extra bits
 * after the last byte.
 */
export function isBase64url(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('base64url') === text;
}
