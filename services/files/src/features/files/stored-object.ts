import { createHash, randomUUID } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import type { Caller } from '@tandem/caller';
import type { Schedule } from '@tandem/jobs';
import { fail, type IncomingFile } from '@tandem/service';
import type { Tools } from '../../handler.ts';
import { contentStatus, detectType, sniffedBytes } from './detect-type.ts';
import { discardDueAt, discardObjectJob } from './discard-object.job.ts';

/** The columns that describe bytes in the store. */
export interface StoredObject {
  objectKey: string;
  contentType: string;
  detectedContentType: string | null;
  size: number;
  checksumSha256: string;
  status: 'available' | 'quarantined';
  quarantineReason: string | null;
}

/** The file of a form: the columns of its bytes, and what the form says about it. */
export interface ReceivedFile {
  stored: StoredObject;
  filename: string;
  checksum: string;
  /** The storage of the tenant's plan, in bytes. */
  storageLimit: number | null;
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
  const measured = measure(tools.maxBytes);
  pipeline(file.stream, measured.stream, () => {});
  // Rejects with the error that ended either stream.
  await orStorageFull(tools.store.put(objectKey, measured.stream));
  const { size, checksum, beginning } = measured.result();
  const detectedContentType = await detectType(beginning);
  return {
    stored: {
      objectKey,
      size,
      contentType: mediaTypeOf(file.contentType),
      detectedContentType,
      checksumSha256: checksum,
      ...contentStatus(detectedContentType),
    },
    filename: plainFilename(file.filename),
    storageLimit,
    checksum,
  };
}

/** A key in the store for new bytes. It begins with the tenant, whose removal removes the folder. */
export function newObjectKey({ tenantId, environment }: Pick<Caller, 'tenantId' | 'environment'>): string {
  return `${tenantId}/${environment}/${randomUUID()}`;
}

/** A stream that counts and hashes its bytes, keeps the first ones, and fails after `max` bytes. */
function measure(max: number) {
  const hash = createHash('sha256');
  const beginning: Buffer[] = [];
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (size < sniffedBytes) beginning.push(chunk);
      size += chunk.length;
      if (size > max) return done(fail('body_too_large', [{ field: 'file', message: `Must be at most ${max} bytes` }]));
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ size, checksum: hash.digest('hex'), beginning: Buffer.concat(beginning) }) };
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
 * like `exe.png`.
 */
export function plainFilename(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim();
  return plain.slice(0, nameMax) || 'file';
}

/** A client's media type without parameters; the general type if it is none. */
export function mediaTypeOf(contentType: string): string {
  const type = contentType.toLowerCase();
  return /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(type) ? type : 'application/octet-stream';
}
