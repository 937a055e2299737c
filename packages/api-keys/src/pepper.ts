import { createHmac, createSecretKey } from 'node:crypto';
import { readSecretList } from '@tandem/secrets';

/**
 * HMACs under KEY_PEPPER, in hex, that stand for API keys and e-mail addresses in look-up tables: a stolen table does not even
 * confirm a guess. A fast hash is enough for API keys, because nobody guesses 238 random bits.
 */
export interface Pepper {
  /** The id of the value that new hashes are made with; null for a value without an id. */
  readonly id: string | null;
  /** The hash under the current value. */
  hash(text: string): string;
  /** The hashes under the other listed values, which are stored until they are replaced by the current one. */
  previous(text: string): string[];
}

/**
 * @param setting KEY_PEPPER: `id:value[,id:value…]`, the current value first
 * @throws Error when it has another form
 */
export function createPepper(setting: string): Pepper {
  const [{ id }] = readSecretList(setting);
  const [current, ...others] = readSecretList(setting).map(({ value }) => {
    const key = createSecretKey(value, 'utf8');
    return (text: string) => createHmac('sha256', key).update(text).digest('hex');
  }) as [Hash, ...Hash[]];
  return { id, hash: current, previous: (text) => others.map((hash) => hash(text)) };
}

type Hash = (text: string) => string;
