import { fileDeleted, type files } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { checkRemovable } from '../retention/protection.ts';
import { checkNoOpenRequest } from '../signatures/request.ts';
import { discardDueAt, discardObjectJob } from './discard-object-job.ts';
import { asFile, lockFile, lockPresent, writeFile } from './file.ts';
import { isUnfinished, removeFiles } from './remove-files.ts';

export const deleteFile: Handler<typeof files.deleteFile> = async ({ params, query, tx, emit, schedule, ifMatch }) => {
  const row = await (query.permanent ? lockFile : lockPresent)(tx, params.id);
  ifMatch(row);
  await checkNoOpenRequest(tx, row.id);
  checkRemovable(row);
  const permanent = query.permanent || isUnfinished(row);
  const deleted = permanent
    ? { ...row, version: row.version + 1, deletedAt: new Date() }
    : await writeFile(tx, row.id, { deletedAt: new Date(), deletedWithLeadId: null });
  if (permanent) await removeFiles({ tx, schedule }, [row.id]);
  // The job finds the file, with all of its versions, by the bytes of the current one.
  else await schedule(discardObjectJob, [{ objectKey: row.objectKey }], discardDueAt('deleted'));
  emit(fileDeleted, { data: { fileId: row.id, permanent }, record: asFile(deleted) });
  return { id: row.id, deleted: true };
};
