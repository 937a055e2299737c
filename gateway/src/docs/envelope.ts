import { includesOf, isFacetedPage, isPage, type Operation, pageOrOther } from '@tandem/contract';
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

/** Schemas shared by all responses, as `components.schemas`. */
export const envelopeSchemas: Record<string, JsonSchema> = {
  Meta: object(
    {
      timestamp: { type: 'string', format: 'date-time', description: 'When the response was created' },
      version: { type: 'string', const: 'v1', description: 'The version of the API' },
      requestId: { type: 'string', description: 'The X-Request-Id of this response' },
      warnings: {
        type: 'array',
        description:
          'Parts of the request that had no effect (unknown query parameters and fields, at most 10), and parts of the response that are missing because a service is unavailable',
        items: { $ref: '#/components/schemas/Warning' },
      },
    },
    ['warnings'],
  ),
  Warning: object({
    code: {
      type: 'string',
      enum: ['unknown_parameter', 'unknown_field', 'names_missing', 'part_missing'],
      description: 'The type of the warning',
    },
    field: {
      type: 'string',
      description:
        'The name of the query parameter, the path of the field, such as `address.zipp`, or the missing part',
    },
    message: { type: 'string', description: 'A human-readable explanation' },
  }),
  FacetCount: object({
    value: { type: 'string', description: 'The value of the field' },
    count: { type: 'integer', description: 'The number of matches with this value' },
  }),
  Pagination: {
    description: 'The position of the page in the list',
    ...object(
      {
        page: { type: 'integer', description: 'The number of this page, from 1' },
        limit: { type: 'integer', description: 'The maximum number of records per page' },
        total: { type: 'integer', description: 'The number of records that match the query; exact up to 10,000' },
        totalIsEstimate: {
          type: 'boolean',
          const: true,
          description: 'Present if `total` and `totalPages` are estimates or up to one minute old',
        },
        totalPages: { type: 'integer', description: 'The number of pages' },
        hasNext: { type: 'boolean', description: 'Whether there is a page after this one' },
        hasPrev: { type: 'boolean', description: 'Whether there is a page before this one' },
        nextCursor: {
          type: ['string', 'null'],
          description: 'The cursor of the next page; send it as `cursor`. Null on the last page.',
        },
        nextPageToken: {
          type: ['string', 'null'],
          deprecated: true,
          description: 'The same value as `nextCursor`. Use `nextCursor` instead.',
        },
      },
      ['totalIsEstimate'],
    ),
  },
  Included: {
    type: 'object',
    description: 'The records that `include` names, by id. Records that you may not read are left out.',
    additionalProperties: object({
      type: { type: 'string', description: 'The type of the record', examples: ['user'] },
      name: { type: 'string', description: 'The name of the record', examples: ['Ada Lovelace'] },
    }),
  },
  FieldError: object({
    field: { type: 'string', description: 'The path of the field, with dots between its parts: `owner.email`' },
    message: { type: 'string', description: 'The problem with the field and how to fix it' },
  }),
  Error: object(
    {
      success: { type: 'boolean', const: false },
      status: { type: 'integer', description: 'The HTTP status' },
      message: { type: 'string', description: 'A human-readable error message; its wording may change' },
      code: { type: 'string', description: 'A machine-readable error code; it does not change' },
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

const facets: Record<string, JsonSchema> = {
  facets: {
    type: 'object',
    description: 'How often each value of a requested field occurs among all matches, the most frequent first',
    additionalProperties: { type: 'array', items: { $ref: '#/components/schemas/FacetCount' } },
  },
  facetsAreEstimates: { type: 'boolean', description: 'True when `facets` were not counted over all matches' },
};

/** The schema of a successful response: the reply inside the envelope, or without an envelope. */
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
      ...(isFacetedPage(row.reply) && facets),
      ...(includesOf(row).size > 0 && { included: { $ref: '#/components/schemas/Included' } }),
      meta: { $ref: '#/components/schemas/Meta' },
    },
    ['included', 'facets', 'facetsAreEstimates', ...(pageOrOther(row.reply) ? ['pagination'] : [])],
  );
}

/**
 * The name of the success schema, the same for operations with equal responses: `LeadResponse`, `LeadCreatedResponse`
 * for 201, `LeadPage` for a list, and `DeleteLeadResponse` for a reply of a single operation.
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

/** The example of a successful response. */
export function successExample(row: Operation, status: number, data: unknown): unknown {
  if (row.envelope === 'none') return data;
  if (row.envelope === 'short') return { success: true, data, message: row.message };
  const head: Part = { success: true, status, message: row.message, data };
  return { ...head, ...((isPage(row.reply) || pageOrOther(row.reply)) && { pagination }), meta: exampleMeta };
}

function object(properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter((field) => !optional.includes(field)) };
}
