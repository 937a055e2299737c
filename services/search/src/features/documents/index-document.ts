import { unknownId } from '@tandem/contract';
import type { documents } from '@tandem/search-contract';
import { failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { canonicalId } from './document.ts';
import { mayWriteDocument } from './may-write.ts';
import { writeDocuments } from './write-documents.ts';

export const indexDocument =
  (tools: Tools): Handler<typeof documents.indexDocument> =>
  async ({ body: { type, id, data }, caller, tx, schedule }) => {
    const documentId = canonicalId(tools, caller, type, id);
    if (!(await mayWriteDocument(tools, { tx, caller }, { type, documentId }))) throw failField('id', unknownId(type));
    const indexedAt = new Date();
    await writeDocuments(tools, { tx, schedule }, [{ type, documentId, document: data, indexedAt }]);
    return { type, id: documentId, indexedAt };
  };
