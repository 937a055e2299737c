import { operations } from '@tandem/contract';
import { z } from 'zod';
import { documentTypes } from './documents.ts';

/** Types of records that are indexed. Accounts are indexed for duplicates only: searches do not find them. */
export const indexedTypes = [...documentTypes, 'account'] as const;

/** One step of a rebuild: indexes a page of records, or removes documents whose records no longer exist. */
export const rebuildSteps = ['index', 'remove'] as const;

/** For operators: `npm run admin -- rebuild search`. */
export const internalSearch = operations({
  rebuildDocuments: {
    method: 'POST',
    path: '/internal/search/rebuild',
    audience: 'internal',
    summary: 'Compare one page of documents with the records of the service that owns them',
    body: z.object({
      type: z.enum(indexedTypes),
      step: z.enum(rebuildSteps),
      /** The position of the page: `next` of the previous page, null for the first. */
      after: z.int().nullable(),
    }),
    reply: z.object({ indexed: z.int(), removed: z.int(), next: z.int().nullable() }),
    message: 'Documents rebuilt',
    timeoutMs: 30_000,
    emits: [],
  },
});
