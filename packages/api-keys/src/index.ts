// The form of an API key: made, checked, hashed.
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export { createPepper, type Pepper } from './pepper.ts';

export type KeyEnvironment = 'live' | 'sandbox';

/** A new key, with the parts of it that may be shown again later. */
export interface CreatedApiKey {
  /** The whole key; whoever holds it is the tenant. */
  key: string;
  /** `svc_live_sk_` or `svc_sandbox_sk_`. */
  prefix: string;
  last4: string;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 40;
// 62^6 > 2^32: six digits hold every checksum.
const checksumLength = 6;
const form = new RegExp(`^svc_(live|sandbox)_sk_[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Makes a key: 40 random base62 digits (238 bits) and six of checksum behind the prefix of its environment. */
export function createApiKey(environment: KeyEnvironment): CreatedApiKey {
  const prefix = keyPrefix(environment);
  const random = Array.from({ length: randomLength }, () => base62[randomInt(base62.length)]).join('');
  const key = `${prefix}${random}${checksum(prefix + random)}`;
  return { key, prefix, last4: key.slice(-4) };
}

/** What every key of an environment begins with. */
export function keyPrefix(environment: KeyEnvironment): string {
  return `svc_${environment}_sk_`;
}

/** Reads a key without looking it up: undefined for a text that cannot be one, such as a mistyped or invented key. */
export function readApiKey(text: string): { environment: KeyEnvironment } | undefined {
  const environment = form.exec(text)?.[1] as KeyEnvironment | undefined;
  if (!environment || text.slice(-checksumLength) !== checksum(text.slice(0, -checksumLength))) return undefined;
  return { environment };
}

/** CRC-32 in base62, as long for small values as for large ones. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < checksumLength) {
    digits = base62[rest % base62.length] + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}
