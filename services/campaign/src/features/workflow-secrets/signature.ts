import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signatures older or newer than this are refused, so that a copied request cannot be used later. */
const toleranceSeconds = 300;
const prefix = 'whsec_';

interface Signed {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  body: Uint8Array | string;
}

/** The headers of a signed request, as https://www.standardwebhooks.com describes them: one signature for each secret. */
export function signatureHeaders(signed: Signed, secrets: readonly string[]): Record<string, string> {
  return {
    'webhook-id': signed.id,
    'webhook-timestamp': String(signed.timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${macOf(signed, secret).toString('base64')}`).join(' '),
  };
}

/** Whether a request has a current signature under one of the secrets. Takes the same time for every wrong one. */
export function isSigned(
  body: Uint8Array,
  headers: Record<string, string>,
  secrets: readonly string[],
  now = Date.now(),
): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': sent = '', 'webhook-signature': given = '' } = headers;
  const timestamp = Number(sent);
  if (!id || !/^\d{1,12}$/.test(sent) || Math.abs(now / 1_000 - timestamp) > toleranceSeconds) return false;
  const signatures = given
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .slice(0, 10);
  const macs = secrets.map((secret) => macOf({ id, timestamp, body }, secret));
  return macs.some((mac) => signatures.some((one) => one.length === mac.length && timingSafeEqual(one, mac)));
}

function macOf({ id, timestamp, body }: Signed, secret: string): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
