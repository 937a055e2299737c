const shownMax = 300;
// Seven digits or more, with at most three separators between two of them. An error code of the provider has five.
const phoneNumber = /\+?\p{Nd}(?:[\s().\p{Pd}]{0,3}\p{Nd}){6,}/gu;
// Identifiers, hexadecimal texts and Base64. Without the slash, so that addresses of documentation stay readable.
const word = /[A-Za-z0-9_+=~-]{16,}/g;
// A word of this length is masked even if it has letters only.
const wordMax = 32;
const namedSecret =
  /\b(bearer|basic)(\s+)[^\s"',;]+|(token|password|secret|signature|key)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/gi;
// PostgreSQL cannot store NUL.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const control = /[\u0000-\u001f\u007f]+/g;

/**
 * The text of an error of a provider without phone numbers and without what looks like a token, because it is stored, and shown to
 * everyone who may read the execution. At most 300 characters.
 * @param secrets texts that are masked wherever they occur
 */
export function maskedError(text: string, secrets: readonly string[]): string {
  let masked = text.replaceAll(control, ' ');
  for (const secret of secrets) masked = masked.replaceAll(secret, '[token]');
  return masked
    .replaceAll(namedSecret, (_, scheme, space, name, separator) => `${scheme ?? name}${space ?? separator}[token]`)
    .replaceAll(word, (one) => (isToken(one) ? '[token]' : one))
    .replaceAll(phoneNumber, '[number]')
    .slice(0, shownMax)
    .toWellFormed();
}

function isToken(text: string): boolean {
  return text.length >= wordMax || (/\d/.test(text) && /[A-Za-z]/.test(text));
}
