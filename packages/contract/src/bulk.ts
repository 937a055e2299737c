import { z } from 'zod';
import { orJob } from './background-jobs.ts';
import { text } from './fields.ts';
import { id, idType, type ResourceType } from './id.ts';
import { type SchemaNode, unwrap } from './walk.ts';

/** The maximum number of records that a bulk operation changes within the request, selected by their ids. */
export const bulkIdsMax = 250;
/** The maximum number of records that a bulk operation changes in the background, selected by a filter. */
export const bulkFilterMax = 10_000;

/** The query parameters of a list that page and order it, and select nothing. */
const ofPaging = new Set(['page', 'limit', 'cursor', 'sort']);

/**
 * The fields of a body that select the records of a bulk operation: either `ids`, or the `filter` of the list of these
 * records together with `expectedCount`. `bulkOperations` of `@tandem/service` reads them.
 * @param query the query of the list
 */
export function bulkSelection<Query extends z.ZodObject>(query: Query) {
  return {
    // Plain text, so that one malformed id does not reject the others.
    ids: z
      .array(text(64))
      .min(1, 'Must contain at least 1 id')
      .max(bulkIdsMax, `Must contain at most ${bulkIdsMax} ids; use filter for more records`)
      .meta({
        description: `The ids of the records, at most ${bulkIdsMax}: they are changed at once. Send either \`ids\` or \`filter\`.`,
        examples: [['khzasVT5ZxaVtyRs', '1djJZs2banxN2kyX']],
      })
      .optional(),
    filter: listFilters(query)
      .describe(
        `Selects the records by the filters of their list, at most ${bulkFilterMax}: a background job changes them. Send either \`ids\` or \`filter\`.`,
      )
      .optional(),
    expectedCount: z
      .int('Must be a whole number')
      .nonnegative('Must be at least 0')
      .meta({
        description:
          'Required with `filter`: the number of records that it should match, such as `pagination.total` of the list. With another number the request is rejected and nothing changes.',
        examples: [2],
      })
      .optional(),
  };
}

/** The errors of every bulk operation with `bulkSelection`. */
export const bulkErrors = {
  count_changed: [409, 'The filter matches another number of records than expectedCount'],
  duplicate_in_request: [409, 'The request contains this id twice'],
} as const;

const BulkError = z
  .object({
    code: z.string().meta({ description: 'A machine-readable error code', examples: ['not_found'] }),
    message: z.string().meta({ description: 'A human-readable error message', examples: ['Not found'] }),
    errors: z
      .array(
        z.object({
          field: z.string().meta({ description: 'The field of the request or of the record', examples: ['status'] }),
          message: z.string(),
        }),
      )
      .meta({ description: 'The fields that caused the error', examples: [[]] }),
  })
  .nullable()
  .meta({ description: 'The reason why the record was not changed; null otherwise', examples: [null] });

/** The result of a bulk operation for one record. */
export const BulkResult = z.object({
  id: z.string().meta({ description: 'The id from the request', examples: ['khzasVT5ZxaVtyRs'] }),
  success: z.boolean().describe('Whether the record was changed'),
  error: BulkError,
});

const BulkResults = z.object({
  succeeded: z.int().meta({ description: 'The number of records that were changed', examples: [1] }),
  failed: z.int().meta({ description: 'The number of records that were not changed', examples: [0] }),
  results: z.array(BulkResult).describe('One result per id, in the order of the request'),
});

/** The reply of a bulk operation: 200 with one result per id, or 202 with the job of a filter. */
export const BulkReply = orJob(BulkResults);

/**
 * The field of a body with records to create or to update by a key. `bulkOperations` of `@tandem/service` reads it. An item
 * that is malformed rejects the whole request, because the rest of a file with a wrong column is wrong too.
 */
export function bulkItems<Item extends z.ZodObject>(item: Item) {
  return {
    items: z
      .array(item)
      .min(1, 'Must contain at least 1 item')
      .max(bulkIdsMax, `Must contain at most ${bulkIdsMax} items`)
      .describe(`The records, at most ${bulkIdsMax}`),
  };
}

/** The maximum size of a body with `bulkItems`: 250 records of 8 KB. */
export const bulkItemsBodyMax = 2 * 1024 * 1024;

/** The errors of every bulk operation with `bulkItems`. */
export const bulkItemErrors = { duplicate_in_request: [409, 'The request contains this key twice'] } as const;

/** The result of one item of a bulk operation. */
export const BulkOutcome = z
  .enum(['created', 'updated', 'unchanged'])
  .describe('What happened: `unchanged` if the record already had all values of the item');

/** The reply of a bulk operation with `bulkItems`: one result per item, in the order of the request. */
export function bulkItemsReply(type: ResourceType) {
  return z.object({
    succeeded: z.int().meta({ description: 'The number of items that are stored', examples: [1] }),
    failed: z.int().meta({ description: 'The number of items that are not stored', examples: [0] }),
    results: z
      .array(
        z.object({
          id: id(type).nullable().describe('The id of the record; null if the item is not stored'),
          success: z.boolean().describe('Whether the item is stored'),
          outcome: BulkOutcome.nullable().describe('What happened to the record; null if the item is not stored'),
          error: BulkError,
        }),
      )
      .describe('One result per item, in the order of the request'),
  });
}

type FilterShape<Query extends z.ZodObject> = Omit<Query['shape'], 'page' | 'limit' | 'cursor' | 'sort'>;

/** The filters of a list as an object in a body, with the parsed values of the query. */
export function listFilters<Query extends z.ZodObject>(query: Query) {
  const fields = Object.entries(query.shape).filter(([name]) => !ofPaging.has(name));
  const shape = Object.fromEntries(fields.map(([name, field]) => [name, inJson(field as z.ZodType)]));
  return z.strictObject(shape as FilterShape<Query>, {
    error: ({ code, ...issue }) =>
      code === 'unrecognized_keys'
        ? `Has unknown filters: ${(issue as { keys?: string[] }).keys?.join(', ')}; the filters are those of the list`
        : undefined,
  });
}

/** Numbers and booleans are text in a query, and themselves in JSON. */
function inJson(field: z.ZodType): z.ZodType {
  const inner = unwrap(field);
  const { out } = inner._zod.def as { out?: SchemaNode };
  const type = out?._zod.def.type;
  if (idType(inner) || (type !== 'number' && type !== 'boolean')) return field;
  const described = z.globalRegistry.get(field) ?? z.globalRegistry.get(inner);
  const schema = type === 'boolean' ? z.boolean('Must be true or false') : (out as z.ZodType);
  return (described ? schema.meta(described) : schema).optional();
}
