import { fileRestored, type files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { scanLater } from '../transfers/inspect-upload.job.ts';
import { asFile, lockFile, restoredColumns, writeFile } from './file.ts';

export const restoreFile: Handler<typeof files.restoreFile> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const row = await lockFile(tx, params.id);
  if (!row.deletedAt) throw fail('not_deleted');
  ifMatch(row);
  // Also after the days of the contract: the bytes exist as long as the record, which a hold keeps.
  const file = asFile(await writeFile(tx, row.id, restoredColumns(row)));
  // The job that waits for the scanner ends while the file is deleted.
  await scanLater(schedule, row.id, row);
  emit(fileRestored, { data: { fileId: file.id }, record: file });
  return file;
};
