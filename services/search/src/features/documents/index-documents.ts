import { unknownId } from '@tandem/contract';
import type { documents } from '@tandem/search-contract';
import { ApiError } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { canonicalId, type DocumentType, type Writing } from './document.ts';
import { mayWriteDocument } from './may-write.ts';
import { writeDocuments } from './write-documents.ts';

type Refusal = { code: string; message: string };

export const indexDocuments = (tools: Tools): Handler<typeof documents.indexDocuments> => ({
  share: ({ caller }) => tools.bulkShare(caller.tenantId),
  // Every check needs the locks of the transaction.
  check: async () => {},
  async run({ body, caller, tx, schedule }) {
    const given = body.documents.map(({ type, id, data }, place) => ({
      ...{ place, type, data },
      documentId: canonicalId(tools, caller, type, id),
    }));
    const writings = new Map<string, Writing>();
    const refusals = new Map<number, Refusal>();
    const indexedAt = new Date();
    // Documents are locked in one order, so that two requests cannot wait for each other.
    const inOrder = given.toSorted((one, other) => compare(keyOf(one), keyOf(other)) || one.place - other.place);
    for (const { place, type, documentId, data } of inOrder) {
      const key = keyOf({ type, documentId });
      const refusal = writings.has(key)
        ? { code: 'duplicate_in_request', message: 'The request contains this document twice' }
        : await refusalOf(() => mayWriteDocument(tools, { tx, caller }, { type, documentId }), type);
      if (refusal) refusals.set(place, refusal);
      else writings.set(key, { type, documentId, document: data, indexedAt });
    }
    if (writings.size) await writeDocuments(tools, { tx, schedule }, [...writings.values()]);
    const results = given.map(({ place, type, documentId: id }) => {
      const error = refusals.get(place) ?? null;
      return { type, id, success: !error, error };
    });
    return { succeeded: writings.size, failed: refusals.size, results };
  },
});

function keyOf({ type, documentId }: { type: DocumentType; documentId: string }): string {
  return `${type} ${documentId}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Why a document may not be written; undefined when it may. */
async function refusalOf(mayWrite: () => Promise<boolean>, type: DocumentType): Promise<Refusal | undefined> {
  try {
    return (await mayWrite()) ? undefined : { code: 'not_found', message: unknownId(type) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, message: error.errors?.[0]?.message ?? error.message };
  }
}
