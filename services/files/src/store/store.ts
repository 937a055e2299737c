import type { Readable } from 'node:stream';
import type { ByteRange } from '@tandem/contract';

/** A request that a client can send without credentials until it expires. */
export interface SignedRequest {
  url: string;
  /** The headers that the client must send. */
  headers: Record<string, string>;
}

/** An object that a client may store: exactly these bytes. */
export interface UploadTarget {
  key: string;
  contentType: string;
  size: number;
  /** In hexadecimal. */
  checksumSha256?: string | undefined;
}

/** A part of an upload that a client may store. */
export interface PartTarget {
  key: string;
  uploadId: string;
  number: number;
  /** Maximum size in bytes. */
  sizeMax: number;
}

/** A part that is stored. */
export interface StoredPart {
  number: number;
  size: number;
}

/** How a download is presented. */
export interface Presentation {
  key: string;
  contentType: string;
  disposition: string;
}

/** Storage for the bytes of files. The service generates the keys: letters, digits, `-` and `/`. */
export interface Store {
  /** Stores a stream completely or not at all: a stream that fails leaves no bytes behind. */
  put(key: string, bytes: Readable): Promise<void>;
  /** @throws when the key does not exist */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** The size in bytes; undefined when the key does not exist. */
  size(key: string): Promise<number | undefined>;
  /**
   * Stores the bytes of a key under another one too. A later change of the first one does not change the copy.
   * @throws when the key does not exist
   */
  copy(key: string, to: string): Promise<void>;
  /** Removes the bytes of the key, and its upload in parts; does nothing when neither exists. */
  remove(key: string): Promise<void>;
  /** Removes the bytes of every key that begins with a folder (`12/`), except of those in `kept`, in bounded batches. */
  removeFolder(folder: `${string}/`, kept?: ReadonlySet<string>): Promise<void>;
  /** Signs a request that stores an object. */
  signPut(target: UploadTarget, expiresAt: Date): Promise<SignedRequest>;
  /** Signs a request for an object; undefined when the service itself serves downloads. */
  signGet?: (presented: Presentation, expiresAt: Date) => Promise<string>;
  parts: Parts;
}

/** Uploads in parts, which a client can continue after an interruption. */
export interface Parts {
  /** @returns the id of the upload */
  begin(key: string): Promise<string>;
  sign(target: PartTarget, expiresAt: Date): Promise<SignedRequest>;
  /** Stores a part that a client sends to the service; undefined when clients send parts to the storage. */
  put?: (target: Pick<PartTarget, 'key' | 'number'>, bytes: Readable) => Promise<void>;
  /** The stored parts in order; undefined when there is no such upload. */
  list(key: string, uploadId: string): Promise<StoredPart[] | undefined>;
  /** Joins parts to the object of the key. */
  complete(key: string, uploadId: string, numbers: readonly number[]): Promise<void>;
}

/**
 * Whether a bucket says that the object, or the upload in parts, does not exist. A missing file of the local store may also be
 * a folder that is not mounted.
 */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NoSuchUpload', 'NotFound'].includes(error.name);
}
