import { isPage, type Operation, pageOrOther } from '@tandem/contract';
import type { JsonSchema, Part } from './json.ts';
import { pascal } from './pascal.ts';

/** The meta block of every example. */
export const exampleMeta = {
  timestamp: '2026-03-02T09:15:00.000Z',
  version: 'v1',
  requestId: 'req_5f0c9a7be21d4836c0a1f9e2',
};

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
      timestamp: { type: 'string', format: 'date-time', description: 'When the answer was made' },
      version: { type: 'string', const: 'v1', description: 'The version of the API' },
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
    code: { type: 'string', const: 'unknown_parameter', description: 'The kind of the warning' },
    field: { type: 'string', description: 'The name of the query parameter' },
    message: { type: 'string', description: 'An explanation for people' },
  }),
  Pagination: {
    description: 'The position of the page in the list',
    ...object(
      {
        page: { type: 'integer', description: 'The number of this page, from 1' },
        limit: { type: 'integer', description: 'The largest number of records on a page' },
        total: { type: 'integer', description: 'The number of records that match the query; exact up to 10,000' },
        totalIsEstimate: {
          type: 'boolean',
          const: true,
          description: 'Present when `total` and `totalPages` are estimates, or up to a minute old',
        },
        totalPages: { type: 'integer', description: 'The number of pages' },
        hasNext: { type: 'boolean', description: 'Whether there is a page after this one' },
        hasPrev: { type: 'boolean', description: 'Whether there is a page before this one' },
        nextCursor: {
          type: ['string', 'null'],
          description: 'Send it as `cursor` to get the next page; null on the last page',
        },
        nextPageToken: { type: ['string', 'null'], deprecated: true, description: 'The earlier name of nextCursor' },
      },
      ['totalIsEstimate'],
    ),
  },
  FieldError: object({
    field: { type: 'string', description: 'The path of the field, with dots between its parts: `owner.email`' },
    message: { type: 'string', description: 'What is wrong with the field' },
  }),
  Error: object(
    {
      success: { type: 'boolean', const: false },
      status: { type: 'integer', description: 'The HTTP status' },
      message: { type: 'string', description: 'For people; may be reworded at any time' },
      code: { type: 'string', description: 'For programs: stays the same when the message is reworded' },
      errors: {
        type: 'array',
        description: 'The fields that caused the error',
        items: { $ref: '#/components/schemas/FieldError' },
      },
      meta: { $ref: '#/components/schemas/Meta' },
    },
    ['errors'],
  ),
};

/** The schema of a success: the reply inside the envelope, or bare. */
export function successSchema(row: Operation, status: number, data: JsonSchema): JsonSchema {
  if (row.envelope === 'none') return data;
  const success: JsonSchema = { type: 'boolean', const: true };
  const message: JsonSchema = { type: 'string' };
  if (row.envelope === 'short') return object({ success, data, message });
  const pagination = { pagination: { $ref: '#/components/schemas/Pagination' } };
  return object(
    {
      success,
      status: { type: 'integer', const: status },
      message,
      data,
      ...((isPage(row.reply) || pageOrOther(row.reply)) && pagination),
      meta: { $ref: '#/components/schemas/Meta' },
    },
    pageOrOther(row.reply) ? ['pagination'] : [],
  );
}

/**
 * The name of that schema, the same for operations that answer alike: `LeadResponse`, `LeadCreatedResponse` for 201,
 * `LeadPage` for a list, and `DeleteLeadResponse` for a reply of an operation's own.
 */
export function successName(row: Operation, status: number, data: JsonSchema): string {
  const record = (data.$ref ?? data.items?.$ref)
    ?.split('/')
    .at(-1)
    ?.replace(/Result$/, '');
  if (isPage(row.reply) && record) return `${record}Page`;
  if (data.items && record) return `${record}List`;
  return `${record ?? pascal(row.id)}${verbs[status] ?? ''}Response`;
}

const verbs: Record<number, string> = { 201: 'Created', 202: 'Accepted' };

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
