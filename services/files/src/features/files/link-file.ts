import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent, linkTo } from './file.ts';

export const linkFile =
  (tools: Tools): Handler<typeof internalFiles.linkFile> =>
  async ({ params, body, caller, tx }) => {
    const { tenantId, environment } = caller;
    // Without a tenant nothing can be found, and the guard would report the query as our own error.
    if (tenantId === undefined) throw fail('not_found');
    const file = await findPresent(tx, params.id);
    return linkTo(tools, file, { tenantId, environment, fileId: file.id, disposition: 'attachment' }, body.expiresIn);
  };
