import type { files } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Linked, Tools, Tx } from '../../handler.ts';
import { dispositionOf } from './file.ts';

export const serveFile =
  ({ store, links }: Tools): Handler<typeof files.serveFile> =>
  async ({ params, inTenant }) => {
    const linked = links.read(params.token);
    if (linked === 'expired') throw fail('link_expired');
    if (!linked) throw fail('not_found');
    const { tenantId, environment, disposition } = linked;
    const found = await inTenant({ tenantId, environment }, ({ tx }) => findContent(tx, linked));
    if (found?.content.status !== 'available') throw fail('not_found');
    const { filename, content } = found;
    const { contentType: type, size, objectKey, checksumSha256 } = content;
    return {
      body: '',
      ranged: { tag: checksumSha256, open: (range) => store.get(objectKey, range) },
      type,
      length: size,
      disposition: dispositionOf(content, filename, disposition),
    };
  };

/** The version that a link names, or the current one. */
async function findContent(tx: Tx, { fileId, versionId }: Linked) {
  const file = await tx.file.findFirst({ where: { id: fileId, deletedAt: null } });
  if (!file) return undefined;
  const content =
    versionId === undefined ? file : await tx.fileVersion.findFirst({ where: { id: versionId, fileId: file.id } });
  return content && { filename: file.filename, content };
}
