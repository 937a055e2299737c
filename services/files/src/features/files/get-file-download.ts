import type { files } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent, linkTo } from './file.ts';

export const getFileDownload =
  (tools: Tools): Handler<typeof files.getFileDownload> =>
  async ({ params, query, caller, tx }) => {
    const file = await findPresent(tx, params.id);
    const { tenantId, environment } = caller as typeof caller & { tenantId: number };
    const linked = { tenantId, environment, fileId: file.id, disposition: query.disposition };
    return linkTo(tools, file, linked, query.expiresIn);
  };
