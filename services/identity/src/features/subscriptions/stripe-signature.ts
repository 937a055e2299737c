import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;
// Stripe signs with two secrets while one is replaced.
const signaturesMax = 10;

/**
 * Whether a header signs a body (https://docs.stripe.com/webhooks#verify-manually): `t=<seconds>,v1=<hexadecimal>`, with one
 * signature for each valid secret. Signatures of other schemes do not count.
 */
export function isSignedByStripe(secret: string, header: string, body: Uint8Array, nowMs = Date.now()): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (scheme: string) => parts.filter(([name]) => name === scheme).map(([, value = '']) => value);
  const [time = ''] = valuesOf('t');
  if (!/^\d{1,12}$/.test(time) || Math.abs(nowMs / 1_000 - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return valuesOf('v1')
    .slice(0, signaturesMax)
    .some((hex) => /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected));
}
