import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent } from './file.ts';

export const readFilePart =
  ({ store }: Tools): Handler<typeof internalFiles.readFilePart> =>
  async ({ params, query: { start, length, checksum }, caller, tx }) => {
    // Without a tenant the tenant guard would throw an internal error.
    if (caller.tenantId === undefined) throw fail('not_found');
    const file = await findPresent(tx, params.id);
    if (file.status !== 'available') throw fail('not_available');
    // The caller keeps to the content that it knows, also when the file has a newer version.
    const isCurrent = file.checksumSha256 === checksum;
    const where = { fileId: file.id, checksumSha256: checksum, status: 'available' };
    const content = isCurrent ? file : await tx.fileVersion.findFirst({ where, orderBy: { number: 'desc' } });
    if (!content || start + length > content.size) throw fail('not_available');
    const { objectKey, contentType: type } = content;
    return { body: await store.get(objectKey, { start, end: start + length - 1 }), type, length };
  };
