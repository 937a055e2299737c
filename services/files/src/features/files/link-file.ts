import type { internalFiles } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findPresent, linkTo } from './file.ts';

export const linkFile =
  (tools: Tools): Handler<typeof internalFiles.linkFile> =>
  async ({ params, body, caller, tx }) => {
    const { tenantId, environment } = caller;
    // Without a tenant the tenant guard would throw an internal error.
    if (tenantId === undefined) throw fail('not_found');
    const content = await findPresent(tx, params.id);
    const linked = { tenantId, environment, fileId: content.id, disposition: 'attachment' as const };
    return linkTo(tools, { content, linked, seconds: body.expiresIn });
  };
