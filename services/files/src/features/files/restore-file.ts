import { fileRestored, type files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { restorableSince } from './discard-object.job.ts';
import { asFile, lockFile, writeFile } from './file.ts';

export const restoreFile: Handler<typeof files.restoreFile> = async ({ params, tx, emit, ifMatch }) => {
  const row = await lockFile(tx, params.id);
  if (!row.deletedAt) throw fail('not_deleted');
  ifMatch(row);
  // Its bytes are being removed.
  if (row.deletedAt <= restorableSince()) throw fail('not_found');
  const file = asFile(await writeFile(tx, row.id, { deletedAt: null }));
  emit(fileRestored, { data: { fileId: file.id }, record: file });
  return file;
};
