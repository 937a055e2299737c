import type { documents, internalSearch } from '@tandem/search-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { indexDocument } from './index-document.ts';
import { indexDocuments } from './index-documents.ts';
import { rebuildDocuments } from './rebuild-documents.ts';
import { removeDocument } from './remove-document.ts';

export const documentHandlers = (tools: Tools) =>
  ({
    indexDocument: indexDocument(tools),
    indexDocuments: indexDocuments(tools),
    removeDocument: removeDocument(tools),
    rebuildDocuments: rebuildDocuments(tools),
  }) satisfies Handlers<typeof documents & typeof internalSearch, Tx>;
