import type { internalFiles } from '@tandem/files-contract';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent, linkTo } from './file.ts';

export const linkFile =
  (tools: Tools): Handler<typeof internalFiles.linkFile> =>
  async ({ params, body, caller, tx }) => {
    const file = await findPresent(tx, params.id);
    const { tenantId, environment } = caller as typeof caller & { tenantId: number };
    return linkTo(tools, file, { tenantId, environment, fileId: file.id, disposition: 'attachment' }, body.expiresIn);
  };
