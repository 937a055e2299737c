import type { Emit } from '@tandem/events';
import { fileQuarantined, fileStatusChanged, fileUploaded } from '@tandem/files-contract';
import type { Schedule } from '@tandem/jobs';
import { fail } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { discardDueAt, discardObjectJob } from '../files/discard-object-job.ts';
import { asFile, type FileRecord } from '../files/file.ts';
import type { StoredObject } from '../files/stored-object.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof fileUploaded | typeof fileQuarantined | typeof fileStatusChanged>;
}

/** Gives a locked file the content that its upload brought. */
export async function settleUpload(inside: Inside, file: FileRow, stored: StoredObject): Promise<FileRecord> {
  const record = await writeContent(inside.tx, file, stored);
  announceContent(inside, record);
  return record;
}

/**
 * Marks a locked file as failed. Its record, which reserves storage, is removed a day later: the job of the day after the
 * upload started may have run while the content was checked.
 */
export async function failUpload(inside: Inside & { schedule: Schedule }, file: FileRow): Promise<void> {
  await setStatus(inside, file, 'failed');
  await inside.schedule(discardObjectJob, [{ objectKey: file.objectKey }], discardDueAt('unused'));
}

/** Sets the status of a locked file whose upload has not ended, or has failed. */
export async function setStatus(
  { tx, emit }: Inside,
  file: FileRow,
  status: 'processing' | 'failed',
): Promise<FileRecord> {
  const record = await writeContent(tx, file, { status });
  emit(fileStatusChanged, { data: { fileId: file.id, status }, record });
  return record;
}

/**
 * Announces a file with new content: that it is available, or why it is not. Only the first version is an upload: a later one
 * that waited for the scanner was announced when it was created.
 */
export function announceContent({ emit }: Pick<Inside, 'emit'>, record: FileRecord): void {
  const { id: fileId, status, quarantineReason, versionNumber } = record;
  if (status === 'available' && versionNumber === 1) emit(fileUploaded, { data: { fileId }, record });
  else if (status === 'quarantined')
    emit(fileQuarantined, { data: { fileId, reason: quarantineReason ?? '' }, record });
  else emit(fileStatusChanged, { data: { fileId, status }, record });
}

/** Writes the current version, and the columns of the file that repeat it. */
async function writeContent(
  tx: Tx,
  { id, versionId }: FileRow,
  content: Partial<Omit<StoredObject, 'status'>> & { status: string },
): Promise<FileRecord> {
  await tx.fileVersion.updateMany({ where: { id: versionId as number }, data: content });
  const [row] = await tx.file.updateManyAndReturn({ where: { id }, data: { ...content, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return asFile(row);
}
