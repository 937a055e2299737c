import { name, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const documentTypes = ['lead', 'opportunity', 'partner'] as const;

export const DocumentType = z.enum(documentTypes, { error: `Must be one of ${documentTypes.join(', ')}` });
/** Id of a document. Clients choose the ids of their own documents, which need not be records of this API. */
export const DocumentId = name(64);

const documentBytesMax = 65_536;
const documentLevelsMax = 20;

/** The content of a document: any JSON object. */
const DocumentData = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  // First: other functions that walk through a value would overflow the stack if it is deep enough.
  if (isDeeperThan(documentLevelsMax, value)) return refuse(`Must be nested at most ${documentLevelsMax} levels deep`);
  const json = JSON.stringify(value);
  if (Buffer.byteLength(json) > documentBytesMax) refuse('Must be at most 64 KB');
  if (!isStorable(value)) refuse('Must not contain NUL characters, broken surrogate pairs or numbers too large');
});

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. The JSON number 1e400 is read as Infinity. */
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
      'Leads, opportunities and partners of this API are indexed automatically. Use this operation for your own documents, or to replace the document of a record until the record changes again. A document with the same type and id is replaced. To use the id of a record, the caller must be allowed to write that record.',
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
      'The document of a record is indexed again when the record changes. To remove it, the caller must be allowed to write that record.',
    // Any text, because an unknown type is answered with 422, while a path that does not match its schema is answered with 404.
    params: z.object({ type: text(64).meta({ examples: ['lead'] }), id: text(64) }),
    reply: z.object({ type: DocumentType, id: DocumentId, removed: z.literal(true) }),
    message: 'Document removed',
    emits: [],
  },
});
