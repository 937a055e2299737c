import type { Schedule } from '@tandem/jobs';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { discardObjectJob } from './discard-object-job.ts';

/** Whether a file has no content to restore: its first one has not become available. */
export function isUnfinished({ status, versionNumber }: Pick<FileRow, 'status' | 'versionNumber'>): boolean {
  return ['pending_upload', 'failed'].includes(status) || (status === 'processing' && versionNumber === 1);
}

/**
 * Removes the records of locked files with their versions. Jobs remove the bytes after the transaction: all those of an
 * upload that is not complete, and otherwise those that no version of another file has.
 */
export async function removeFiles({ tx, schedule }: { tx: Tx; schedule: Schedule }, ids: number[]): Promise<void> {
  if (!ids.length) return;
  const versions = await tx.fileVersion.findMany({ where: { fileId: { in: ids } }, select: { objectKey: true } });
  await tx.file.deleteMany({ where: { id: { in: ids } } });
  const keys = new Set(versions.map(({ objectKey }) => objectKey));
  await schedule(
    discardObjectJob,
    [...keys].map((objectKey) => ({ objectKey })),
  );
}
