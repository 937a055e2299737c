import { fileDeleted, type files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { discardDueAt, discardObjectJob } from './discard-object.job.ts';
import { asFile, lockFile, writeFile } from './file.ts';

export const deleteFile: Handler<typeof files.deleteFile> = async ({ params, tx, emit, schedule, ifMatch }) => {
  const row = await lockFile(tx, params.id);
  if (row.deletedAt) throw fail('not_found');
  ifMatch(row);
  const deleted = await writeFile(tx, row.id, { deletedAt: new Date() });
  await schedule(discardObjectJob, [{ objectKey: row.objectKey }], discardDueAt('deleted'));
  emit(fileDeleted, { data: { fileId: row.id }, record: asFile(deleted) });
  return { id: row.id, deleted: true };
};
