import type { files } from '@tandem/files-contract';
import { reachOf } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { filesWithText } from '../content/file-text.ts';
import { asFile } from './file.ts';

export const listFiles: Handler<typeof files.listFiles> = async ({ query, caller, tx, list }) => {
  const { entityType, entityId, contentType, tag, status, deleted, q, text } = query;
  const reach = reachOf(caller, 'files:read');
  // The list applies them too; here they let the limit of a search by text count only files that the list returns.
  const filters = {
    deleted: deleted === true,
    entityType,
    entityId,
    contentType,
    status,
    tag,
    ...(typeof reach === 'object' && { userId: reach.userId, teamIds: reach.teamIds ?? [] }),
  };
  const page = await list({
    model: tx.file,
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(entityType && { entityType }),
      ...(entityId && { entityId }),
      ...(contentType && { contentType }),
      ...(tag && { tags: { has: tag } }),
      ...(status && { status }),
      ...(text && { id: { in: await filesWithText(tx, text, filters) } }),
    },
    searchIn: ['filename'],
    search: q,
  });
  return { ...page, items: page.items.map(asFile) };
};
