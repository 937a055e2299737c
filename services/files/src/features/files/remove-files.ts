import type { Schedule } from '@tandem/jobs';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { discardObjectJob } from './discard-object.job.ts';

const unfinished = ['pending_upload', 'processing', 'failed'];

/** Whether a file is an upload that did not become available: it has no content to restore. */
export function isUnfinished({ status }: Pick<FileRow, 'status'>): boolean {
  return unfinished.includes(status);
}

/** Removes the records of locked files with their versions; jobs remove the bytes after the transaction. */
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
