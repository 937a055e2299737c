import type { files } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { filesWithText } from '../content/file-text.ts';
import { asFile } from './file.ts';

export const listFiles: Handler<typeof files.listFiles> = async ({ query, tx, list }) => {
  const { entityType, entityId, contentType, tag, status, deleted, q, text } = query;
  const page = await list({
    model: tx.file,
    where: {
      deletedAt: deleted ? { not: null } : null,
      ...(entityType && { entityType }),
      ...(entityId && { entityId }),
      ...(contentType && { contentType }),
      ...(tag && { tags: { has: tag } }),
      ...(status && { status }),
      ...(text && { id: { in: await filesWithText(tx, text, entityId) } }),
    },
    searchIn: ['filename'],
    search: q,
  });
  return { ...page, items: page.items.map(asFile) };
};
