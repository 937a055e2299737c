import { fileVersionDeleted, type fileVersions } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { discardObjectJob } from '../files/discard-object-job.ts';
import { asFile, lockPresent } from '../files/file.ts';
import { checkRemovable } from '../retention/protection.ts';
import { checkNoOpenRequest } from '../signatures/request.ts';
import { findVersion } from './version.ts';

export const deleteFileVersion: Handler<typeof fileVersions.deleteFileVersion> = async (context) => {
  const { params, tx, emit, schedule } = context;
  const file = await lockPresent(tx, params.id);
  checkRemovable(file);
  const { id, number, objectKey } = await findVersion(tx, { fileId: file.id, versionId: params.versionId });
  if (id === file.versionId) throw fail('current_version');
  await checkNoOpenRequest(tx, file.id, id);
  await tx.ocrJob.deleteMany({ where: { fileId: file.id, versionId: id } });
  await tx.fileVersion.deleteMany({ where: { id } });
  // A version that was restored has the same bytes: the job keeps them.
  await schedule(discardObjectJob, [{ objectKey }]);
  emit(fileVersionDeleted, { data: { fileId: file.id, versionId: id, number }, record: asFile(file) });
  return { id, deleted: true };
};
