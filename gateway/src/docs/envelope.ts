import { isPage, type Operation, pageOrOther } from '@tandem/contract';
import { now } from './example-values.ts';
import type { JsonSchema, Part } from './json.ts';

/** The meta block of every example. */
export const exampleMeta = { timestamp: now, version: 'v1', requestId: 'req_5f0c9a7be21d4836c0a1f9e2' };

const pagination = {
  page: 1,
  limit: 20,
  total: 1,
  totalPages: 1,
  hasNext: false,
  hasPrev: false,
  nextCursor: null,
  nextPageToken: null,
};

/** What answers have in common, as `components.schemas`. */
export const envelopeSchemas: Record<string, JsonSchema> = {
  Meta: object(
    {
      timestamp: { type: 'string', format: 'date-time' },
      version: { type: 'string', const: 'v1' },
      requestId: { type: 'string', description: 'The X-Request-Id of this answer' },
      warnings: {
        type: 'array',
        description: 'Parts of the request that had no effect, such as unknown query parameters; at most 10',
        items: { $ref: '#/components/schemas/Warning' },
      },
    },
    ['warnings'],
  ),
  Warning: object({
    code: { type: 'string', const: 'unknown_parameter' },
    field: { type: 'string', description: 'The name of the query parameter' },
    message: { type: 'string', description: 'For people' },
  }),
  Pagination: object(
    {
      page: { type: 'integer' },
      limit: { type: 'integer' },
      total: { type: 'integer', description: 'How many records fit the query; exact up to 10,000' },
      totalIsEstimate: {
        type: 'boolean',
        const: true,
        description: 'Present when `total` and `totalPages` are estimates, or up to a minute old: above 10,000 records',
      },
      totalPages: { type: 'integer' },
      hasNext: { type: 'boolean' },
      hasPrev: { type: 'boolean' },
      nextCursor: { type: ['string', 'null'], description: 'Send it as `cursor` to read on; null on the last page' },
      nextPageToken: { type: ['string', 'null'], deprecated: true, description: 'The earlier name of nextCursor' },
    },
    ['totalIsEstimate'],
  ),
  FieldError: object({
    field: { type: 'string', description: 'Which field, with dots for what is inside: `owner.email`' },
    message: { type: 'string' },
  }),
  Error: object(
    {
      success: { type: 'boolean', const: false },
      status: { type: 'integer', description: 'The HTTP status' },
      message: { type: 'string', description: 'For people' },
      code: { type: 'string', description: 'For programs: stays the same when the message is reworded' },
      errors: { type: 'array', items: { $ref: '#/components/schemas/FieldError' } },
      meta: { $ref: '#/components/schemas/Meta' },
    },
    ['errors'],
  ),
};

/** The schema of a success: the reply inside the envelope, or bare. */
export function successSchema(row: Operation, status: number, data: JsonSchema): JsonSchema {
  if (row.envelope === 'none') return data;
  if (row.envelope === 'short')
    return object({ success: { type: 'boolean', const: true }, data, message: { type: 'string' } });
  const pagination = { pagination: { $ref: '#/components/schemas/Pagination' } };
  return object(
    {
      success: { type: 'boolean', const: true },
      status: { type: 'integer', const: status },
      message: { type: 'string' },
      data,
      ...((isPage(row.reply) || pageOrOther(row.reply)) && pagination),
      meta: { $ref: '#/components/schemas/Meta' },
    },
    pageOrOther(row.reply) ? ['pagination'] : [],
  );
}

/** The example of a success. */
export function successExample(row: Operation, status: number, data: unknown): unknown {
  if (row.envelope === 'none') return data;
  if (row.envelope === 'short') return { success: true, data, message: row.message };
  const head: Part = { success: true, status, message: row.message, data };
  return { ...head, ...((isPage(row.reply) || pageOrOther(row.reply)) && { pagination }), meta: exampleMeta };
}

function object(properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((field) => !optional.includes(field)) };
}
