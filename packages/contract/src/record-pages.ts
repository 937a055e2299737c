import { z } from 'zod';
import { listFilters } from './bulk.ts';
import { operations } from './operation.ts';
import { idTypeOf, type SchemaNode } from './walk.ts';

/** How many records a page holds at most. */
export const recordPageMax = 1_000;

const timeoutMs = 10_000;

const FieldErrors = z.array(z.object({ field: z.string(), message: z.string() }));

/**
 * The internal operation of a service that returns the records of its lists in the order of ids, for exports. The caller
 * checks the permission of the list; the narrowing of the signed caller applies.
 */
export const recordPages = operations({
  readRecordPage: {
    method: 'POST',
    path: '/internal/record-pages',
    audience: 'internal',
    summary: 'Read records of a list in the order of ids',
    timeoutMs,
    body: z.object({
      /** The operation id of the list. */
      list: z.string(),
      /** The filters of the list in JSON, as `recordFilters` reads them; ids are decimal. */
      filters: z.record(z.string(), z.unknown()),
      /** The id after which the page begins. */
      after: z.int(),
      limit: z.int().min(1).max(recordPageMax),
    }),
    reply: z.object({
      /** The records as the list returns them, with decimal ids. */
      records: z.array(z.record(z.string(), z.unknown())),
      /** The id after which the next page begins; null after the last record. A page can be empty and have a next one. */
      next: z.int().nullable(),
      /** Filters that the list rejects; the page is empty then. */
      errors: FieldErrors.optional(),
    }),
    message: 'Records retrieved',
    emits: [],
  },
});

/**
 * The filters of the records of a list: those of its query, and for a list inside of another record the id of that record, as
 * `formId` for `/v1/forms/:id/submissions`.
 */
export function recordFilters({
  params,
  query,
}: {
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
}) {
  const parents = parentFilters(params).map(({ filter, schema }) => [filter, schema]);
  return listFilters((query ?? z.object({})).extend(Object.fromEntries(parents)));
}

/** The path parameters of a list, with the filters that have their values in an export. */
export function parentFilters(params: z.ZodObject | undefined) {
  return Object.entries(params?.shape ?? {}).map(([name, schema]) => {
    const type = idTypeOf(schema as SchemaNode);
    if (typeof type !== 'string') throw new Error(`The path parameter ${name} is not the id of one resource`);
    const filter = `${type.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}Id`;
    return { name, filter, type, schema: schema as z.ZodType };
  });
}
