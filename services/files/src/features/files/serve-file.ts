import type { files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { isDisplayable } from './detect-type.ts';

export const serveFile =
  ({ store, links }: Tools): Handler<typeof files.serveFile> =>
  async ({ params, inTenant }) => {
    const linked = links.read(params.token);
    if (linked === 'expired') throw fail('link_expired');
    if (!linked) throw fail('not_found');
    const { tenantId, environment, fileId, disposition } = linked;
    const file = await inTenant({ tenantId, environment }, ({ tx }) =>
      tx.file.findFirst({ where: { id: fileId, deletedAt: null, status: 'available' } }),
    );
    if (!file) throw fail('not_found');
    const { contentType: type, detectedContentType, filename, size, objectKey } = file;
    const kind = disposition === 'inline' && isDisplayable(type, detectedContentType) ? 'inline' : 'attachment';
    return { body: await store.get(objectKey), type, length: size, disposition: { kind, filename } };
  };
