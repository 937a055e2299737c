import { partBytesMin, type transfers } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { lockPresent } from '../files/file.ts';
import { findPending, linkExpiry } from './pending-upload.ts';

interface Upload {
  /** The upload that the record named before. */
  before: string | null;
  uploadId: string;
  expiresAt: Date;
  parts: { partNumber: number; uploadUrl: string; headers: Record<string, string> }[];
  stored: { partNumber: number; size: number }[];
}

export const signParts = ({ store }: Tools): Handler<typeof transfers.signParts, Upload> => ({
  async check({ params, body, tx }) {
    const file = await findPending(tx, params.id);
    const { objectKey: key, size: sizeMax } = file;
    // The service limits the parts that it receives itself.
    if (!store.parts.put) rejectNumbers(body.partNumbers, sizeMax);
    const expiresAt = linkExpiry(file, body.expiresIn);
    const known = file.uploadId === null ? undefined : await store.parts.list(key, file.uploadId);
    const uploadId = known && file.uploadId !== null ? file.uploadId : await store.parts.begin(key);
    const parts = [];
    for (const number of new Set(body.partNumbers)) {
      const { url, headers } = await store.parts.sign({ key, uploadId, number, sizeMax }, expiresAt);
      parts.push({ partNumber: number, uploadUrl: url, headers });
    }
    const stored = (known ?? []).map(({ number, size }) => ({ partNumber: number, size }));
    return { before: file.uploadId, uploadId, expiresAt, parts, stored };
  },

  async run({ params, found: { before, uploadId, ...signed }, tx }) {
    const file = await lockPresent(tx, params.id);
    if (file.status !== 'pending_upload') throw fail('not_pending');
    // Another request began an upload in parts meanwhile, with which those of this one would not be joined.
    if (file.uploadId !== before && file.uploadId !== uploadId) throw fail('conflict');
    if (file.uploadId !== uploadId) await tx.file.updateMany({ where: { id: file.id }, data: { uploadId } });
    return { fileId: file.id, ...signed };
  },
});

/**
 * A bucket signs no maximum size, so the number of parts bounds what can be stored before the upload is complete.
 * @throws 422 for numbers that an upload of this size cannot need
 */
function rejectNumbers(partNumbers: readonly number[], size: number): void {
  const numberMax = Math.max(1, Math.ceil(size / partBytesMin));
  const message = `Must be at most ${numberMax}: every part of this upload but the last has at least ${partBytesMin} bytes`;
  const errors = partNumbers.flatMap((number, index) =>
    number > numberMax ? [{ field: `partNumbers.${index}`, message }] : [],
  );
  if (errors.length) throw fail('validation_failed', errors);
}
