import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asFile, findPresent } from './file.ts';

export const findFile: Handler<typeof internalFiles.findFile> = async ({ params, caller, tx }) => {
  // Without a tenant nothing can be found, and the guard would report the query as our own error.
  if (caller.tenantId === undefined) throw fail('not_found');
  return asFile(await findPresent(tx, params.id));
};
