import { Readable } from 'node:stream';
import type { Caller } from '@tandem/caller';
import type { Schedule } from '@tandem/jobs';
import { fail, type IncomingFile } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import type { StorageLimit } from '../usage/storage-limit.ts';
import { discardDueAt, discardObjectJob } from './discard-object-job.ts';
import { newObjectKey } from './object-keys.ts';
import { type ContentFacts, contentReader } from './read-content.ts';

/** The columns that describe bytes in the store. */
export interface StoredObject extends ContentFacts {
  objectKey: string;
  contentType: string;
}

/** The file of a form: the columns of its bytes, and what the form says about it. */
export interface ReceivedFile {
  stored: StoredObject;
  filename: string;
  checksum: string;
  /** The storage of the tenant's plan. */
  storageLimit: StorageLimit;
}

/**
 * Stores the file of a form before its record. A crash in between leaves bytes without a record; the job that is scheduled
 * before the first byte removes them.
 */
export async function receiveFile(
  tools: Tools,
  file: IncomingFile,
  { caller, schedule }: { caller: Caller; schedule: Schedule },
): Promise<ReceivedFile> {
  const storageLimit = await tools.storageLimitOf(caller);
  const objectKey = newObjectKey(caller);
  await schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
  const reader = contentReader(tools);
  const bytes = Readable.from(reader.pass(atMost(file.stream, tools.maxBytes)), { objectMode: false });
  // Rejects with the error that ended the stream.
  await orStorageFull(tools.store.put(objectKey, bytes));
  const facts = await reader.facts();
  return {
    stored: { objectKey, contentType: mediaTypeOf(file.contentType), ...facts },
    filename: plainFilename(file.filename),
    storageLimit,
    checksum: facts.checksumSha256,
  };
}

async function* atMost(chunks: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max) throw fail('body_too_large', [{ field: 'file', message: `Must be at most ${max} bytes` }]);
    yield chunk;
  }
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** @throws ApiError 507 when the disk is full or read-only; the client can repeat the request */
export async function orStorageFull<T>(storing: Promise<T>): Promise<T> {
  return storing.catch((error: NodeJS.ErrnoException) => {
    throw fullCodes.has(error.code ?? '') ? fail('storage_full') : error;
  });
}

const nameMax = 255;

/**
 * The base name of a client's file name, without control characters and bidirectional ones, which make `gnp.exe` look
 * like `exe.png`. The names of folders, `.` and `..`, are none.
 */
export function plainFilename(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim();
  return ['', '.', '..'].includes(plain) ? 'file' : plain.slice(0, nameMax);
}

/** A client's media type without parameters; the general type if it is none. */
export function mediaTypeOf(contentType: string): string {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(type) ? type : 'application/octet-stream';
}
