import type { files } from '@tandem/files-contract';
import { contentDisposition, fail } from '@tandem/service';
import type { Handler, Linked, Tools, Tx } from '../../handler.ts';
import { presentationOf } from './file.ts';

// Browsers refuse to show a PDF document in a sandbox. Their viewers run its scripts apart from the origin.
const pdfPolicy = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";
// Enough to begin a download.
const storageLinkMs = 60_000;

/** Serves the content behind a link as long as the file is available; a storage that serves downloads itself sends it. */
export const serveFile =
  ({ store, links }: Tools): Handler<typeof files.serveFile> =>
  async ({ params, inTenant, redirect }) => {
    const linked = links.read(params.token);
    if (linked === 'expired') throw fail('link_expired');
    if (!linked) throw fail('not_found');
    const { tenantId, environment } = linked;
    const found = await inTenant({ tenantId, environment }, ({ tx }) => findContent(tx, linked));
    if (found?.content.status !== 'available') throw fail('not_found');
    const { filename, content } = found;
    const { key, contentType: type, disposition } = presentationOf(content, filename, linked);
    if (store.signGet) {
      // The storage sends the bytes. The link of the storage cannot be revoked, so it is short.
      const presented = { key, contentType: type, disposition: contentDisposition(disposition) };
      redirect(await store.signGet(presented, new Date(Date.now() + storageLinkMs)));
      return { body: '', type };
    }
    const length = linked.preview === undefined ? content.size : await store.size(key);
    if (length === undefined) throw fail('not_found');
    const tag = `${content.checksumSha256}${linked.preview ?? ''}`;
    return {
      body: '',
      ranged: { tag, open: (range) => store.get(key, range) },
      type,
      length,
      disposition,
      ...(type === 'application/pdf' && { contentPolicy: pdfPolicy }),
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
