import { createHash, randomUUID } from 'node:crypto';
import { pipeline, Transform } from 'node:stream';
import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { type files, fileUploaded } from '@tandem/files-contract';
import { fail, type IncomingFile } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { detectType, isProgram, sniffedBytes } from './detect-type.ts';
import { discardDueAt, discardObjectJob } from './discard-object.job.ts';
import { asFile } from './file.ts';
import { entityColumns } from './follow-merges.ts';

interface StoredObject {
  objectKey: string;
  filename: string;
  contentType: string;
  detectedContentType: string | null;
  size: number;
  checksum: string;
}

const nameMax = 255;

/**
 * Stores the bytes first, then the record. A crash in between leaves bytes without a record; the job that is scheduled
 * before the first byte removes them.
 */
export const uploadFile = (tools: Tools): Handler<typeof files.uploadFile, StoredObject> => ({
  async receive(file, { caller, schedule }) {
    const objectKey = `${caller.tenantId}/${caller.environment}/${randomUUID()}`;
    await schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
    const measured = measure(tools.maxBytes);
    pipeline(file.stream, measured.stream, () => {});
    // Rejects with the error that ended either stream.
    await tools.store.put(objectKey, measured.stream);
    const { size, checksum, beginning } = measured.result();
    return {
      objectKey,
      size,
      checksum,
      filename: nameOf(file),
      contentType: typeOf(file),
      detectedContentType: await detectType(beginning),
    };
  },

  discard: ({ objectKey }) => tools.store.remove(objectKey),

  async run({ body, found, caller, tx, emit }) {
    const { checksum, ...stored } = found;
    const row = await tx.file.create({
      data: {
        ...stored,
        checksumSha256: checksum,
        ...(await entityColumns(tools, { tx, tenantId: caller.tenantId as number, entity: body })),
        status: isProgram(stored.detectedContentType) ? 'quarantined' : 'available',
        uploadedBy: actingUserId(caller) ?? null,
        teamId: onlyTeamOf(caller),
      },
    });
    const file = asFile(row);
    emit(fileUploaded, { data: { fileId: file.id }, record: file });
    return file;
  },
});

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

/**
 * The base name of the client's file name, without control characters and bidirectional ones, which make `gnp.exe` look
 * like `exe.png`.
 */
function nameOf({ filename }: IncomingFile): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim();
  return plain.slice(0, nameMax) || 'file';
}

function typeOf({ contentType }: IncomingFile): string {
  const type = contentType.toLowerCase();
  return /^[\w.+-]{1,63}\/[\w.+-]{1,63}$/.test(type) ? type : 'application/octet-stream';
}
