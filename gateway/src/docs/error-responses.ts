import {
  type ErrorCodes,
  isForBrowsers,
  isPage,
  knownErrors,
  mediaOf,
  type Operation,
  pageOrOther,
  portalRoles,
  portalRolesOf,
  takesIdempotencyKey,
  walkIds,
} from '@tandem/contract';
import { exampleMeta } from './envelope.ts';
import { errorHeaders } from './headers.ts';
import type { JsonSchema, Part } from './json.ts';
import { pascal } from './pascal.ts';

interface Common {
  name: string;
  description: string;
  codes: (keyof typeof knownErrors)[];
}

const mayRun =
  'A write may still be carried out: a request with an Idempotency-Key can be repeated safely with the same key.';

const common: Record<number, Common> = {
  400: {
    name: 'BadRequest',
    description: 'The request is malformed. A JSON body may have 20 levels, objects of 1,000 keys, and 20,000 values.',
    codes: ['malformed_json', 'malformed_request', 'bad_cursor', 'two_credentials', 'environment_mismatch'],
  },
  401: {
    name: 'Unauthorized',
    description: 'The credentials are missing, invalid, expired or revoked.',
    codes: ['unauthenticated'],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller lacks the required permission.',
    codes: ['forbidden', 'live_key_needed', 'live_needed', 'bad_target_user'],
  },
  404: {
    name: 'NotFound',
    description: 'The record does not exist, or it belongs to another tenant or environment.',
    codes: ['not_found'],
  },
  409: {
    name: 'Conflict',
    description: 'The Idempotency-Key was used with a different request, or its request is still in progress.',
    codes: ['idempotency_mismatch', 'idempotency_running'],
  },
  412: {
    name: 'PreconditionFailed',
    description: 'The record was modified since you read it.',
    codes: ['stale_version'],
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than 256 KB or than the limit of this operation.',
    codes: ['body_too_large'],
  },
  415: {
    name: 'UnsupportedMediaType',
    description:
      'The body has a media type that this operation does not accept. Send JSON in UTF-8, or a multipart form to upload.',
    codes: ['wrong_content_type'],
  },
  422: {
    name: 'ValidationFailed',
    description: 'Fields are missing or invalid; `errors` names each of them.',
    codes: ['validation_failed'],
  },
  429: {
    name: 'TooManyRequests',
    description: 'The rate limit or the monthly quota is exceeded.',
    codes: ['rate_limited', 'quota_exceeded'],
  },
  500: { name: 'InternalError', description: 'An internal error occurred.', codes: ['internal_error'] },
  502: {
    name: 'BadGateway',
    description: `A backend service returned an invalid response. ${mayRun}`,
    codes: ['bad_gateway'],
  },
  503: {
    name: 'ServiceUnavailable',
    description:
      'A backend service is unavailable. If the connection to it broke, a write may have been carried out; the message then says so.',
    codes: ['unavailable'],
  },
  504: {
    name: 'GatewayTimeout',
    description: `A backend service did not respond in time. ${mayRun}`,
    codes: ['upstream_timeout'],
  },
};

const fieldErrors: Record<string, { field: string; message: string }[]> = {
  validation_failed: [{ field: 'email', message: 'Must be a valid e-mail address' }],
  malformed_json: [{ field: 'body', message: 'The body is not JSON' }],
  body_too_large: [{ field: 'body', message: 'Must be at most 262144 bytes' }],
};

/** The codes that follow from fields of a row. */
const byRow = ['feature_not_available', 'portal_role'] as const;

/** The examples of the common codes, as `components.examples`. */
export const errorExamples: Record<string, Part> = Object.fromEntries(
  [...Object.values(common).flatMap(({ codes }) => codes), ...byRow].map((code) => [
    pascal(code),
    errorExample(knownErrors[code][0], code, knownErrors[code][1]),
  ]),
);

/** The error responses of a document; those shared by several operations are components. */
export interface ErrorResponses {
  /** All error responses of an operation, by status. */
  of(row: Operation, hasIfMatch: boolean): Record<string, Part>;
  /** The shared responses that operations refer to, as `components.responses`. */
  readonly shared: Record<string, Part>;
}

/**
 * Creates the error responses of a document. Errors that rows declare are components too: `ConflictNotDeleted` is the
 * 409 with the row's code `not_deleted` in addition to the common codes of that status.
 */
export function createErrorResponses(): ErrorResponses {
  const shared: Record<string, Part> = {};
  return {
    shared,
    of(row, hasIfMatch) {
      const declared = Object.groupBy(Object.entries(errorsOf(row)), ([, [status]]) => status);
      const common = commonStatuses(row, hasIfMatch);
      const statuses = [...new Set([...common, ...Object.keys(declared).map(Number)])].sort((a, b) => a - b);
      return Object.fromEntries(
        statuses.map((status) => {
          const own = Object.fromEntries(declared[status] ?? []);
          const response = errorResponse(status, own, common.includes(status), row);
          const name = responseName(status, own, common.includes(status), row);
          // The same code may have a different message in another operation.
          if (shared[name] && JSON.stringify(shared[name]) !== JSON.stringify(response)) return [status, response];
          shared[name] = response;
          return [status, { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
  };
}

/** The errors that the row declares, and those that follow from its feature and portal roles. */
function errorsOf(row: Operation): ErrorCodes {
  const { errors, feature } = row;
  const roles = portalRolesOf(row);
  return {
    ...(feature && known(['feature_not_available'])),
    ...(roles && roles.length < portalRoles.length && known(['portal_role'])),
    ...errors,
  };
}

/** `Conflict`, `ConflictNotDeleted`, or `NotDeleted` where the common codes of the status cannot occur. */
function responseName(status: number, own: ErrorCodes, withCommon: boolean, row: Operation): string {
  const codes = Object.keys(own).map(pascal).join('Or');
  const base = withCommon ? (common[status]?.name ?? '') : '';
  return `${base}${codes}${isForBrowsers(row) ? 'Page' : ''}`;
}

function commonStatuses(row: Operation, hasIfMatch: boolean): number[] {
  const isPublic = row.audience === 'public';
  const sends = row.body !== undefined || row.form !== undefined || row.rawBody !== undefined;
  const reads = sends || row.query !== undefined;
  return [
    ...(reads || !isPublic ? [400] : []),
    ...(isPublic ? [] : [401, 403]),
    ...(mayMiss(row) ? [404] : []),
    ...(takesIdempotencyKey(row) ? [409] : []),
    ...(hasIfMatch ? [412] : []),
    ...(sends ? [413, 415] : []),
    // Each query parameter may occur only once; for a file response the query is passed through unchanged.
    ...(reads || !isPublic || !mediaOf(row.reply) ? [422] : []),
    ...[429, 500, 502, 503, 504],
  ];
}

/** Whether the operation can fail with 404: it takes an id in the path or body, or reads a record of the caller. */
function mayMiss({ params, body, method, audience, reply }: Operation): boolean {
  if (params || walkIds(body).length > 0) return true;
  return audience !== 'public' && method !== 'POST' && !isPage(reply) && !pageOrOther(reply);
}

/** The example of an error; examples of common codes are components. */
function exampleOf(status: number, code: string, message: string): Part {
  const isCommon = knownErrors[code as keyof typeof knownErrors]?.[1] === message;
  return isCommon ? { $ref: `#/components/examples/${pascal(code)}` } : errorExample(status, code, message);
}

function errorExample(status: number, code: string, message: string): Part {
  return { summary: message, value: failureExample(status, code, message) };
}

function errorResponse(status: number, own: ErrorCodes, withCommon: boolean, row: Operation): Part {
  const usual = withCommon ? common[status] : undefined;
  const errors: ErrorCodes = { ...own, ...known(usual?.codes ?? []) };
  const lines = Object.entries(errors).map(([code, [, message]]) => `- \`${code}\`: ${message}`);
  const examples = Object.entries(errors).map(([code, [, message]]) => [code, exampleOf(status, code, message)]);
  return {
    description: Object.keys(own).length || !usual ? `One of these errors:\n\n${lines.join('\n')}` : usual.description,
    headers: errorHeaders(status),
    content: {
      'application/json': { schema: errorSchema(status, Object.keys(errors)), examples: Object.fromEntries(examples) },
      // Browsers prefer HTML and get the message as a page.
      ...(isForBrowsers(row) && { 'text/html': { schema: { type: 'string' } } }),
    },
  };
}

/** The error envelope with the codes that can occur, as an enum that clients can switch over. */
function errorSchema(status: number, codes: string[]): JsonSchema {
  const own: JsonSchema = {
    type: 'object',
    properties: { status: { type: 'integer', const: status }, code: { type: 'string', enum: codes } },
    required: ['status', 'code'],
  };
  return { allOf: [{ $ref: '#/components/schemas/Error' }, own] };
}

function known(codes: (keyof typeof knownErrors)[]): ErrorCodes {
  return Object.fromEntries(codes.map((code) => [code, knownErrors[code]]));
}

function failureExample(status: number, code: string, message: string): Part {
  const errors = fieldErrors[code];
  return { success: false, status, message, code, ...(errors && { errors }), meta: exampleMeta };
}
