import type { files } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findVersion } from '../versions/version.ts';
import { findPresent, linkTo } from './file.ts';

export const getFileDownload =
  (tools: Tools): Handler<typeof files.getFileDownload> =>
  async ({ params, query, caller, tx, redirect }) => {
    const file = await findPresent(tx, params.id);
    const { versionId, disposition, expiresIn } = query;
    const content = versionId === undefined ? file : await findVersion(tx, { fileId: file.id, versionId });
    const { tenantId, environment } = caller as typeof caller & { tenantId: number };
    const version = versionId === undefined ? {} : { versionId };
    const linked = { tenantId, environment, fileId: file.id, disposition, ...version };
    const link = linkTo(tools, { content, linked, seconds: expiresIn });
    if (query.redirect) redirect(link.url);
    return link;
  };
