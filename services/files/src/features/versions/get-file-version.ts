import type { fileVersions } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { findPresent } from '../files/file.ts';
import { asVersion, findVersion } from './version.ts';

export const getFileVersion: Handler<typeof fileVersions.getFileVersion> = async ({ params, tx }) => {
  const file = await findPresent(tx, params.id);
  return asVersion(await findVersion(tx, { fileId: file.id, versionId: params.versionId }), file.versionId);
};
