import { actingUserId } from '@tandem/caller';
import type { fileVersions } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { lockPresent } from '../files/file.ts';
import type { StoredObject } from '../files/stored-object.ts';
import { copyReadings, isRead } from '../ocr/copy-readings.ts';
import { addVersion } from './add-version.ts';
import { findVersion } from './version.ts';

export const restoreFileVersion: Handler<typeof fileVersions.restoreFileVersion> = async (context) => {
  const { params, caller, tx, emit, ifMatch } = context;
  // The lock keeps the version, with its bytes, from being deleted meanwhile.
  const file = await lockPresent(tx, params.id);
  ifMatch(file);
  const earlier = await findVersion(tx, { fileId: file.id, versionId: params.versionId });
  const wasRead = await isRead(tx, earlier);
  const { version } = await addVersion({ tx, emit }, file, earlier as StoredObject, {
    comment: earlier.comment,
    createdBy: actingUserId(caller) ?? null,
    ocrStatus: wasRead ? 'completed' : null,
  });
  if (wasRead) await copyReadings(tx, earlier, version.id);
  return version;
};
