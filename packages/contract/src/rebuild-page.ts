import { z } from 'zod';

/**
 * Body and reply of an internal operation that rebuilds one page of a projection, which is data that a consumer of events
 * derives from records: see `npm run admin -- rebuild`.
 * @param parts the kinds of records that it reads, in the order in which they are rebuilt
 */
export function rebuildPage<const Part extends string>(parts: readonly [Part, ...Part[]]) {
  return {
    body: z.object({
      part: z.enum(parts),
      /** The position of the page: `next` of the previous page, null for the first. */
      after: z.int().nullable(),
    }),
    reply: z.object({
      /** How many records of the page were read. */
      read: z.int(),
      /** How many rows of the projection were missing or differed, and were written. */
      written: z.int(),
      removed: z.int(),
      /** Null after the last page. */
      next: z.int().nullable(),
    }),
    timeoutMs: 30_000,
  };
}
