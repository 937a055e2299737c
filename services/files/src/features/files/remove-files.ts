import type { Schedule } from '@tandem/jobs';
import type { Tx } from '../../handler.ts';
import { discardObjectJob } from './discard-object.job.ts';

/**
 * Removes the records of locked files with their versions. Jobs remove the bytes after the transaction: all those of an
 * upload that is not complete, and otherwise those that no version of another file has.
 */
export async function removeFiles({ tx, schedule }: { tx: Tx; schedule: Schedule }, ids: number[]): Promise<void> {
  const versions = await tx.fileVersion.findMany({ where: { fileId: { in: ids } }, select: { objectKey: true } });
  await tx.file.deleteMany({ where: { id: { in: ids } } });
  const keys = new Set(versions.map(({ objectKey }) => objectKey));
  await schedule(
    discardObjectJob,
    [...keys].map((objectKey) => ({ objectKey })),
  );
}
