import type { transfers } from '@tandem/files-contract';
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
