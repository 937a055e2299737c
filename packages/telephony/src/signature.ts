import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether Twilio signed a form (X-Twilio-Signature): the HMAC-SHA1 of the address and the parameters in the order of their names.
 * Compares in constant time.
 */
export function isSigned(
  secret: string,
  { url, form, signature }: { url: string; form: URLSearchParams; signature: string },
): boolean {
  const expected = Buffer.from(signatureOf(secret, url, form));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The signature of a form in base64. A name with several values counts each value once, in order, as Twilio does. */
export function signatureOf(secret: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].toSorted();
  const parts = names.flatMap((name) => [...new Set(form.getAll(name))].toSorted().map((value) => name + value));
  return createHmac('sha1', secret)
    .update(url + parts.join(''))
    .digest('base64');
}
