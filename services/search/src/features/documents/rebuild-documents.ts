import type { internalSearch } from '@tandem/search-contract';
import { asService, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { findRemoved } from './find-removed.ts';
import { type Page, readRecords } from './read-records.ts';
import { writeDocuments } from './write-documents.ts';

/**
 * Compares one page of documents with the records of the service that owns them. Events may be handled at the same time:
 * the newer version wins, from an event or a record. The step `index` walks through the records and writes each document, also in the same
 * version; `remove` walks through the documents and removes those whose record no longer exists.
 */
export const rebuildDocuments = (tools: Tools): Handler<typeof internalSearch.rebuildDocuments, Page> => ({
  check: async ({ body: { type, step, after }, caller, tx }) => {
    if (caller.tenantId === undefined) throw fail('not_found');
    const page = { type, after, as: { ...asService(caller), tenantId: caller.tenantId } };
    return step === 'index' ? readRecords(tools, page) : findRemoved(tools, tx, page);
  },
  run: async ({ body, tx, schedule, found: { writings, next } }) => {
    if (writings.length)
      await writeDocuments(tools, { tx, schedule }, writings, { sameVersion: body.step === 'index' });
    const removed = writings.filter(({ document }) => !document).length;
    return { indexed: writings.length - removed, removed, next };
  },
});
