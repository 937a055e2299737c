import type { Readable } from 'node:stream';

/** Storage for the bytes of files. The service makes the keys: letters, digits, `-` and `/`. */
export interface Store {
  /** Stores a stream completely or not at all: a stream that fails leaves no bytes behind. */
  put(key: string, bytes: Readable): Promise<void>;
  /** @throws when there is nothing under the key */
  get(key: string): Promise<Readable>;
  /** Removes the bytes under the key; does nothing when there are none. */
  remove(key: string): Promise<void>;
}
