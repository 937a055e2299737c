/**
 * A text without NUL and without halves of characters, which filters and shortening make: PostgreSQL stores neither, so a
 * message with them could be sent and then not recorded.
 */
export function storableText(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '');
}
