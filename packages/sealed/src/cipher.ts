import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomFillSync } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
// Nonces come from a pool, because a call for random bytes takes longer than encrypting a value, whatever its size.
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

/** Encryption under one key. */
export interface Cipher {
  /** Returns nonce, tag and ciphertext in base64. */
  encrypt(text: string, context: string): string;
  /** @throws Error when the value was changed, or belongs to another context or key */
  decrypt(base64: string, context: string): string;
  digest(text: string): string;
}

/**
 * AES-256-GCM with a random nonce per value (NIST SP 800-38D).
 * @param key 32 bytes in base64
 * @throws Error when it is not 32 bytes long
 */
export function createCipher(key: string): Cipher {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== 32) throw new Error('Each value of ENCRYPTION_KEY must be 32 bytes in base64');
  // Digests use a derived key, because the encryption key must not serve a second purpose.
  const digestKey = createSecretKey(createHmac('sha256', bytes).update('digest').digest());
  // Key objects: Node would convert bytes to a key for every value, which takes longer than encrypting it.
  const secretKey = createSecretKey(bytes);
  return {
    digest: (text) => createHmac('sha256', digestKey).update(text).digest('base64'),
    encrypt(text, context) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt(base64, context) {
      const all = Buffer.from(base64, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', secretKey, all.subarray(0, nonceBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(all.subarray(nonceBytes, nonceBytes + tagBytes));
      return Buffer.concat([decipher.update(all.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
    },
  };
}
