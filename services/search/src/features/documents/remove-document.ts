import { DocumentType, type documents } from '@tandem/search-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { canonicalId } from './document.ts';
import { mayWriteDocument } from './may-write.ts';

export const removeDocument =
  (tools: Tools): Handler<typeof documents.removeDocument> =>
  async ({ params, caller, tx }) => {
    const { data: type, error } = DocumentType.safeParse(params.type);
    if (!type) throw failField('type', error?.issues[0]?.message ?? '');
    const documentId = canonicalId(tools, caller, type, params.id);
    if (!(await mayWriteDocument(tools, { tx, caller }, { type, documentId }))) throw fail('not_found');
    // Of two callers that remove it at once, the second waits for the lock and is then answered 404.
    const index = await tools.driver.index(tx, type);
    const [present] = await tx.sql`SELECT id FROM document
      WHERE type = ${index} AND document_id = ${documentId} AND removed_at IS NULL FOR UPDATE`;
    if (!present) throw fail('not_found');
    await tools.driver.write(tx, [{ type, documentId, indexedAt: new Date() }]);
    return { type, id: documentId, removed: true };
  };
