import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent } from './file.ts';

export const readFile =
  ({ store }: Tools): Handler<typeof internalFiles.readFile> =>
  async ({ params, caller, tx }) => {
    // Without a tenant the tenant guard would throw an internal error.
    if (caller.tenantId === undefined) throw fail('not_found');
    const { status, objectKey, contentType: type, size: length } = await findPresent(tx, params.id);
    if (status !== 'available') throw fail('not_available');
    return { body: await store.get(objectKey), type, length };
  };
