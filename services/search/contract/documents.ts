import { byteLength, name, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const documentTypes = ['lead', 'opportunity', 'partner'] as const;

export const DocumentType = z.enum(documentTypes, { error: `Must be one of ${documentTypes.join(', ')}` });
/** Ids of documents are text of the client's choice: documents of its own need not be records of this API. */
export const DocumentId = name(64);

const documentBytesMax = 65_536;
const documentLevelsMax = 20;

/** What a client wants to find again: any JSON object. */
const DocumentData = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  // Before anything else walks through it: a value that is deep enough overflows the stack.
  if (isDeeperThan(documentLevelsMax, value)) return refuse(`Must be nested at most ${documentLevelsMax} levels deep`);
  const json = JSON.stringify(value);
  if (byteLength(json) > documentBytesMax) refuse('Must be at most 64 KB');
  if (!isStorable(value)) refuse('Must not contain NUL characters, broken surrogate pairs or numbers too large');
});

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** PostgreSQL stores neither NUL nor half a surrogate pair; 1e400 is JSON, and Infinity once it is read. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
}

export const documents = operations({
  indexDocument: {
    method: 'POST',
    path: '/v1/search/index',
    permission: 'search:write',
    summary: 'Put a document into the index',
    description:
      'Leads, opportunities and partners of this API are indexed by themselves; this is for documents of your own, or to add to one until it changes next. A document with the same type and id is replaced. For the id of a record the caller must be allowed to write that record.',
    body: z.object({ type: DocumentType, id: DocumentId, data: DocumentData }),
    reply: z.object({ type: DocumentType, id: DocumentId, indexedAt: timestamp() }),
    message: 'Document indexed',
    emits: [],
  },
  removeDocument: {
    method: 'DELETE',
    path: '/v1/search/index/:type/:id',
    permission: 'search:delete',
    summary: 'Remove a document from the index',
    description:
      'A record of this API comes back when it changes next; the caller must be allowed to write that record.',
    // Any text: an unknown type is a wrong field here (422), where a path that fails its schema is a 404.
    params: z.object({ type: text(64).meta({ examples: ['lead'] }), id: text(64) }),
    reply: z.object({ type: DocumentType, id: DocumentId, removed: z.literal(true) }),
    message: 'Document removed',
    emits: [],
  },
});
