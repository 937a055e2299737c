import type { transfers } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findPending, linkExpiry } from './pending-upload.ts';

type Reply = Awaited<ReturnType<Extract<Handler<typeof transfers.renewPresignedUpload>, (...args: never) => unknown>>>;

export const renewPresignedUpload = ({ store }: Tools): Handler<typeof transfers.renewPresignedUpload, Reply> => ({
  async check({ params, body, tx }) {
    const file = await findPending(tx, params.id);
    const { objectKey: key, contentType, size, declaredChecksum } = file;
    const expiresAt = linkExpiry(file, body.expiresIn);
    const target = { key, contentType, size, checksumSha256: declaredChecksum ?? undefined };
    const { url, headers } = await store.signPut(target, expiresAt);
    return { fileId: file.id, uploadUrl: url, method: 'PUT', headers, expiresAt };
  },
  run: ({ found }) => found,
});
