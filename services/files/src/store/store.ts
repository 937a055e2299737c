import type { Readable } from 'node:stream';

/** Storage for the bytes of files. The service generates the keys: letters, digits, `-` and `/`. */
export interface Store {
  /** Stores a stream completely or not at all: a stream that fails leaves no bytes behind. */
  put(key: string, bytes: Readable): Promise<void>;
  /** @throws when the key does not exist */
  get(key: string): Promise<Readable>;
  /** Removes the bytes of the key; does nothing when it does not exist. */
  remove(key: string): Promise<void>;
  /** Removes the bytes of every key that begins with a folder (`12/`), in bounded batches. */
  removeFolder(folder: `${string}/`): Promise<void>;
}
