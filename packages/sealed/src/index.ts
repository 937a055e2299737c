// Encrypts small values before they are stored, so that a copy of the database reveals no secrets.
import { readSecretList } from '@tandem/secrets';
import { type Cipher, createCipher } from './cipher.ts';
import { keyOf, type Seal } from './seal.ts';

export { isBase64url } from './base64url.ts';
export { createLinkTokens, type LinkTokens } from './link-tokens.ts';
export { keyOf, type Seal } from './seal.ts';

/**
 * Creates a seal that encrypts under the first key of a list and decrypts under each.
 * @param setting ENCRYPTION_KEY: `id:key[,id:key…]`, each key 32 bytes in base64
 * @throws Error when it has another format
 */
export function createSeal(setting: string): Seal {
  const keys = readSecretList(setting).map(({ id, value }) => ({ id, cipher: createCipher(value) }));
  const [current, ...others] = keys as [Key, ...Key[]];
  const prefix = current.id === null ? '' : `${current.id}.`;
  return {
    currentKey: current.id,
    seal: (text, context) => prefix + current.cipher.encrypt(text, context),
    open(sealed, context) {
      const id = keyOf(sealed);
      if (id === null) return openWithoutId(keys, sealed, context);
      const key = keys.find((candidate) => candidate.id === id);
      if (!key) throw new Error(`The value is encrypted with the key ${id}, which is not in ENCRYPTION_KEY`);
      return key.cipher.decrypt(sealed.slice(id.length + 1), context);
    },
    digest: (text) => current.cipher.digest(text),
    digests: (text) => [current.cipher.digest(text), ...others.map(({ cipher }) => cipher.digest(text))],
  };
}

interface Key {
  id: string | null;
  cipher: Cipher;
}

/** Opens a value without a key id. Its key may have been given an id since. */
function openWithoutId(keys: readonly Key[], sealed: string, context: string): string {
  let reason: unknown;
  for (const { cipher } of keys) {
    try {
      return cipher.decrypt(sealed, context);
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}
