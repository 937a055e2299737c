import type { documents } from '@tandem/search-contract';
import type { Handler, Tools } from '../../handler.ts';
import { canonicalId, writeDocuments } from './document.ts';

export const indexDocument =
  (tools: Tools): Handler<typeof documents.indexDocument> =>
  async ({ body: { type, id, data }, caller, tx }) => {
    const documentId = canonicalId(tools, caller, type, id);
    const indexedAt = new Date();
    await writeDocuments(tx, [{ type, documentId, document: data, indexedAt }]);
    return { type, id: documentId, indexedAt };
  };
