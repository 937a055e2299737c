import { actingUserId, onlyTeamOf } from '@tandem/caller';
import { fileStatusChanged, type transfers } from '@tandem/files-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import type { SignedRequest } from '../../store/store.ts';
import { discardDueAt, discardObjectJob } from '../files/discard-object-job.ts';
import { asFile } from '../files/file.ts';
import { entityColumns } from '../files/follow-merges.ts';
import { newUploadKey } from '../files/object-keys.ts';
import { mediaTypeOf, plainFilename } from '../files/stored-object.ts';
import { checkQuota } from '../usage/quota.ts';
import type { StorageLimit } from '../usage/storage-limit.ts';

interface Signed extends SignedRequest {
  objectKey: string;
  contentType: string;
  expiresAt: Date;
  storageLimit: StorageLimit;
}

export const createPresignedUpload = (tools: Tools): Handler<typeof transfers.createPresignedUpload, Signed> => ({
  async check({ body, caller }) {
    const { size, checksumSha256, expiresIn } = body;
    if (size > tools.uploadBytesMax) throw failField('size', `Must be at most ${tools.uploadBytesMax} bytes`);
    const objectKey = newUploadKey(caller);
    const contentType = mediaTypeOf(body.contentType);
    const expiresAt = new Date(Date.now() + expiresIn * 1_000);
    const target = { key: objectKey, contentType, size, checksumSha256: checksumSha256?.toLowerCase() };
    const storageLimit = await tools.storageLimitOf(caller);
    return { objectKey, contentType, expiresAt, storageLimit, ...(await tools.store.signPut(target, expiresAt)) };
  },

  async run({ body, found, caller, tx, emit, schedule }) {
    const { objectKey, contentType, expiresAt, url, headers } = found;
    const checksum = body.checksumSha256?.toLowerCase();
    const row = await tx.file.create({
      data: {
        objectKey,
        contentType,
        size: body.size,
        filename: plainFilename(body.filename),
        checksumSha256: checksum ?? '',
        declaredChecksum: checksum ?? null,
        status: 'pending_upload',
        ...(await entityColumns(tools, { tx, tenantId: caller.tenantId as number, entity: body })),
        uploadedBy: actingUserId(caller) ?? null,
        teamId: onlyTeamOf(caller),
      },
    });
    // The declared size is reserved until the upload is complete or removed.
    await checkQuota(tx, found.storageLimit);
    await schedule(discardObjectJob, [{ objectKey }], discardDueAt('unused'));
    emit(fileStatusChanged, { data: { fileId: row.id, status: 'pending_upload' }, record: asFile(row) });
    return { fileId: row.id, uploadUrl: url, method: 'PUT', headers, expiresAt };
  },
});
