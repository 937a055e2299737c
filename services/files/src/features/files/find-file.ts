import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asFile, findPresent } from './file.ts';

export const findFile: Handler<typeof internalFiles.findFile> = async ({ params, caller, tx }) => {
  // Without a tenant the tenant guard would throw an internal error.
  if (caller.tenantId === undefined) throw fail('not_found');
  return asFile(await findPresent(tx, params.id));
};
