import { fileRestored, type files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { scanLater } from '../transfers/inspect-upload.job.ts';
import { restorableSince } from './discard-object-job.ts';
import { asFile, lockFile, writeFile } from './file.ts';

export const restoreFile: Handler<typeof files.restoreFile> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const row = await lockFile(tx, params.id);
  if (!row.deletedAt) throw fail('not_deleted');
  ifMatch(row);
  // After this time the bytes may already be removed.
  if (row.deletedAt <= restorableSince()) throw fail('not_found');
  const file = asFile(await writeFile(tx, row.id, { deletedAt: null }));
  // The job that waits for the scanner ends while the file is deleted.
  await scanLater(schedule, row.id, row);
  emit(fileRestored, { data: { fileId: file.id }, record: file });
  return file;
};
