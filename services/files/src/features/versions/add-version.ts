import type { Emit } from '@tandem/events';
import { fileQuarantined, fileVersionCreated, versionsMax } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { asFile, type FileRecord } from '../files/file.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { asVersion, type VersionRecord } from './version.ts';

interface Added {
  comment?: string | null;
  createdBy: number | null;
  /** Of content that OCR has read as an earlier version. */
  ocrStatus?: 'completed' | null;
}

/**
 * Makes bytes that are already in the store the current version of a file, within the transaction of `tx`.
 * @param file locked in this transaction, which gives the version its number
 * @throws ApiError 409 when the file has the maximum number of versions, or its first upload is not complete
 */
export async function addVersion(
  { tx, emit }: { tx: Tx; emit: Emit<typeof fileVersionCreated | typeof fileQuarantined> },
  file: FileRow,
  stored: StoredObject,
  { comment = null, createdBy, ocrStatus = null }: Added,
): Promise<{ file: FileRecord; version: VersionRecord }> {
  if (file.status !== 'available' && file.status !== 'quarantined') throw fail('not_available');
  const count = await tx.fileVersion.count({ where: { fileId: file.id } });
  if (count >= versionsMax) throw fail('too_many_versions');
  const { objectKey, contentType, detectedContentType, size, checksumSha256, status, quarantineReason, scan } = stored;
  const content = {
    objectKey,
    contentType,
    detectedContentType,
    size,
    checksumSha256,
    status,
    quarantineReason,
    scan,
  };
  // The current version has the highest number: a restored version becomes a new one, and the current one is not deleted.
  const number = file.versionNumber + 1;
  const row = await tx.fileVersion.create({ data: { ...content, fileId: file.id, number, comment, createdBy } });
  const [updated] = await tx.file.updateManyAndReturn({
    where: { id: file.id },
    data: { ...content, versionId: row.id, versionNumber: number, ocrStatus, version: { increment: 1 } },
  });
  if (!updated) throw fail('not_found');
  // The list does not find the file by words that it no longer has.
  await tx.fileText.deleteMany({ where: { fileId: file.id } });
  const record = asFile(updated);
  emit(fileVersionCreated, {
    data: { fileId: file.id, versionId: row.id, number },
    record,
    changes: { versionNumber: { from: file.versionNumber, to: number } },
  });
  if (status === 'quarantined')
    emit(fileQuarantined, { data: { fileId: file.id, reason: quarantineReason ?? '' }, record });
  return { file: record, version: asVersion(row, row.id) };
}
