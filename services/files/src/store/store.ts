import type { Readable } from 'node:stream';

/** Where the bytes of files lie. Keys are made by the service: letters, digits, `-` and `/`. */
export interface Store {
  /** Keeps what a stream brings, whole or not at all: a stream that fails leaves nothing behind. */
  put(key: string, bytes: Readable): Promise<void>;
  /** @throws when there is nothing under the key */
  get(key: string): Promise<Readable>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
}
