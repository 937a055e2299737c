import { exceedsBytes, name, operations, text, timestamp } from '@tandem/contract';
import { z } from 'zod';

export const documentTypes = ['lead', 'opportunity', 'partner'] as const;

export const DocumentType = z
  .enum(documentTypes, { error: `Must be one of ${documentTypes.join(', ')}` })
  .describe('The type of the document');
/** Document ids are text that the client chooses: documents need not be records of this API. */
export const DocumentId = name(64).meta({
  description: 'The id of the document, at most 64 characters',
  examples: ['khzasVT5ZxaVtyRs'],
});

const bulkMax = 500;
const bulkBytesMax = 8 * 1024 * 1024;
const documentBytesMax = 65_536;
const documentLevelsMax = 20;

/** The document to index: any JSON object. */
export const DocumentData = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    // Must run before any other check, because a deeply nested value would overflow the stack.
    if (isDeeperThan(documentLevelsMax, value))
      return refuse(`Must be nested at most ${documentLevelsMax} levels deep`);
    const json = JSON.stringify(value);
    if (exceedsBytes(json, documentBytesMax)) refuse('Must be at most 64 KB');
    if (!isStorable(value))
      refuse('Must not contain NUL characters, unpaired surrogates, or numbers that are too large');
  })
  .meta({
    description: 'The searchable fields: at most 64 KB and 20 levels',
    examples: [{ firstName: 'Ada', lastName: 'Lovelace', company: 'Analytical Engines' }],
  });

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** PostgreSQL cannot store NUL characters or unpaired surrogates; 1e400 is valid JSON and parses to Infinity. */
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
    checksPermissions: true,
    summary: 'Index a document',
    description:
      'The platform indexes leads, opportunities and partners automatically. Use this operation for your own documents, or for another document of a record, until the record changes or the index is rebuilt. A document with the same type and id is replaced as a whole. If the id is the id of a record, the caller must have permission to write that record.',
    body: z.object({ type: DocumentType, id: DocumentId, data: DocumentData }),
    reply: z.object({
      type: DocumentType,
      id: DocumentId,
      indexedAt: timestamp().describe('When the document was indexed'),
    }),
    message: 'Document indexed',
    emits: [],
  },
  indexDocuments: {
    method: 'POST',
    path: '/v1/search/index/bulk',
    permission: 'search:write',
    checksPermissions: true,
    summary: 'Index several documents',
    description:
      'Indexes up to 500 documents in one request, as "Index a document" does. Each document has its own result; a document that cannot be indexed does not affect the others. A document that is malformed rejects the request. The requests of a tenant are handled one after the other; if too many wait, they are refused with `busy`.',
    bodyMax: bulkBytesMax,
    // Up to 8 s of them for the requests before this one.
    timeoutMs: 30_000,
    body: z.object({
      documents: z
        .array(z.object({ type: DocumentType, id: DocumentId, data: DocumentData }))
        .min(1, 'Must contain at least 1 document')
        .max(bulkMax, `Must contain at most ${bulkMax} documents`)
        .describe('The documents to index'),
    }),
    reply: z.object({
      succeeded: z.int().meta({ description: 'The number of documents that were indexed', examples: [1] }),
      failed: z.int().meta({ description: 'The number of documents that were not indexed', examples: [0] }),
      results: z
        .array(
          z.object({
            type: DocumentType,
            id: DocumentId,
            success: z.boolean().describe('Whether the document was indexed'),
            error: z
              .object({
                code: z.string().meta({ description: 'The reason, for programs', examples: ['not_found'] }),
                message: z.string().meta({ description: 'The reason, for people', examples: ['No lead with this id'] }),
              })
              .nullable()
              .meta({ description: 'Why the document was not indexed; null otherwise', examples: [null] }),
          }),
        )
        .describe('One result per document, in the order of the request'),
    }),
    message: 'Documents indexed',
    emits: [],
    errors: {
      busy: [503, 'Other documents of the tenant are being indexed; try again in a few seconds'],
    },
  },
  removeDocument: {
    method: 'DELETE',
    path: '/v1/search/index/:type/:id',
    permission: 'search:delete',
    checksPermissions: true,
    summary: 'Remove a document from the index',
    description:
      'The document of a record is indexed again when the record changes or the index is rebuilt. If the id is the id of a record, the caller must have permission to write that record.',
    // Plain text: an unknown type is reported as an invalid field (422), while a path that fails its schema is a 404.
    params: z.object({
      type: text(64).meta({ description: 'The type of the document', examples: ['lead'] }),
      id: text(64).meta({ description: 'The id of the document', examples: ['khzasVT5ZxaVtyRs'] }),
    }),
    reply: z.object({ type: DocumentType, id: DocumentId, removed: z.literal(true).describe('Always true') }),
    message: 'Document removed',
    emits: [],
  },
});
