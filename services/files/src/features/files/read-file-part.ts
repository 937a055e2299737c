import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent } from './file.ts';

export const readFilePart =
  ({ store }: Tools): Handler<typeof internalFiles.readFilePart> =>
  async ({ params, query: { start, length, checksum }, caller, tx }) => {
    // Without a tenant the tenant guard would throw an internal error.
    if (caller.tenantId === undefined) throw fail('not_found');
    const { status, objectKey, contentType: type, size, checksumSha256 } = await findPresent(tx, params.id);
    if (status !== 'available' || checksumSha256 !== checksum || start + length > size) throw fail('not_available');
    return { body: await store.get(objectKey, { start, end: start + length - 1 }), type, length };
  };
