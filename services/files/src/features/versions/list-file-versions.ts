import type { fileVersions } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { findPresent } from '../files/file.ts';
import { asVersion } from './version.ts';

export const listFileVersions: Handler<typeof fileVersions.listFileVersions> = async ({ params, tx, list }) => {
  const file = await findPresent(tx, params.id);
  const page = await list({ model: tx.fileVersion, where: { fileId: file.id } });
  return { ...page, items: page.items.map((row) => asVersion(row, file.versionId)) };
};
