import { InternalFile, type internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { findPresent } from './file.ts';

const { status: contentStatus } = InternalFile.shape;

export const findFile: Handler<typeof internalFiles.findFile> = async ({ params, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  const row = await findPresent(tx, params.id);
  const { data: status } = contentStatus.safeParse(row.status);
  // Services refer to files with content only.
  if (!status) throw fail('not_found');
  return { ...row, status };
};
