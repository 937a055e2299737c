// Encrypts small values before they are stored, so that a copy of the database gives no secret away.
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomFillSync } from 'node:crypto';

import type { Seal } from './seal.ts';

export { isBase64url } from './base64url.ts';
export { createLinkTokens, type LinkTokens } from './link-tokens.ts';
export type { Seal } from './seal.ts';

const nonceBytes = 12;
const tagBytes = 16;
// Asking the system for random bytes takes longer than encrypting a value, whether for one nonce or for many.
const nonces = { pool: Buffer.alloc(nonceBytes * 256), at: nonceBytes * 256 };

function nextNonce(): Buffer {
  if (nonces.at === nonces.pool.length) {
    randomFillSync(nonces.pool);
    nonces.at = 0;
  }
  const end = nonces.at + nonceBytes;
  const nonce = nonces.pool.subarray(nonces.at, end);
  nonces.at = end;
  return nonce;
}

/**
 * AES-256-GCM with a random nonce per value (NIST SP 800-38D).
 * @param key ENCRYPTION_KEY: 32 bytes in base64
 * @throws when it is not 32 bytes long.
 */
export function createSeal(key: string): Seal {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== 32) throw new Error('ENCRYPTION_KEY must be 32 bytes in base64');
  // A key of its own: the other one is for encryption alone.
  const digestKey = createSecretKey(createHmac('sha256', bytes).update('digest').digest());
  // Bytes would be made into a key again for every value, which takes longer than encrypting it.
  const secretKey = createSecretKey(bytes);
  return {
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64'),
    seal(text, context) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, context) {
      const all = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', secretKey, all.subarray(0, nonceBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(all.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(all.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
