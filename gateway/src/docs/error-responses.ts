import {
  type ErrorCodes,
  isForBrowsers,
  isPage,
  knownErrors,
  mediaOf,
  type Operation,
  pageOrOther,
  takesIdempotencyKey,
  walkIds,
} from '@tandem/contract';
import { exampleMeta } from './envelope.ts';
import { errorHeaders } from './headers.ts';
import type { Part } from './json.ts';

interface Shared {
  name: string;
  description: string;
  codes: (keyof typeof knownErrors)[];
}

const shared: Record<number, Shared> = {
  400: {
    name: 'BadRequest',
    description: 'The request cannot be read. A JSON body may have 20 levels, 1,000 keys and 20,000 values.',
    codes: ['malformed_json', 'malformed_request', 'bad_cursor', 'two_credentials', 'environment_mismatch'],
  },
  401: {
    name: 'Unauthorized',
    description: 'The credentials are missing, wrong, expired or revoked.',
    codes: ['unauthenticated'],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this.',
    codes: ['forbidden', 'live_key_needed', 'bad_target_user'],
  },
  404: {
    name: 'NotFound',
    description: 'There is no such record, or it belongs to another tenant or environment.',
    codes: ['not_found'],
  },
  409: {
    name: 'Conflict',
    description: 'The Idempotency-Key is in use.',
    codes: ['idempotency_mismatch', 'idempotency_running'],
  },
  412: {
    name: 'PreconditionFailed',
    description: 'The record has changed since you read it.',
    codes: ['stale_version'],
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than 256 KB, or than what this operation takes.',
    codes: ['body_too_large'],
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is of another type than this operation takes: JSON in UTF-8, or a multipart form.',
    codes: ['wrong_content_type'],
  },
  422: {
    name: 'ValidationFailed',
    description: 'Fields are missing or wrong; `errors` names each.',
    codes: ['validation_failed'],
  },
  429: {
    name: 'TooManyRequests',
    description: 'The minute limit or the monthly quota is used up.',
    codes: ['rate_limited', 'quota_exceeded'],
  },
  500: { name: 'InternalError', description: 'A fault of ours.', codes: ['internal_error'] },
  502: { name: 'BadGateway', description: 'A part of the platform gave no usable answer.', codes: ['bad_gateway'] },
  503: { name: 'ServiceUnavailable', description: 'A part of the platform is down.', codes: ['unavailable'] },
  504: { name: 'GatewayTimeout', description: 'A part of the platform is too slow.', codes: ['upstream_timeout'] },
};

const fieldErrors: Record<string, { field: string; message: string }[]> = {
  validation_failed: [{ field: 'email', message: 'Must be a valid e-mail address' }],
  malformed_json: [{ field: 'body', message: 'The body is not JSON' }],
  body_too_large: [{ field: 'body', message: 'Must be at most 262144 bytes' }],
};

/** The errors that many operations have in common, as `components.responses`. */
export function sharedErrors(): Record<string, Part> {
  return Object.fromEntries(
    Object.entries(shared).map(([status, { name, description, codes }]) => [
      name,
      errorResponse(Number(status), description, known(codes)),
    ]),
  );
}

/** Every error that an operation may answer: those in common by reference, with its own where it declares some. */
export function errorResponses(row: Operation, hasIfMatch: boolean): Record<string, Part> {
  const declared = Object.groupBy(Object.entries(row.errors ?? {}), ([, [status]]) => status);
  const common = commonStatuses(row, hasIfMatch);
  const statuses = [...new Set([...common, ...Object.keys(declared).map(Number)])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const inCommon = common.includes(status) ? shared[status] : undefined;
      const own = declared[status];
      if (!own && !isForBrowsers(row)) return [status, { $ref: `#/components/responses/${inCommon?.name}` }];
      const response = withOwn(status, Object.fromEntries(own ?? []), inCommon);
      return [status, isForBrowsers(row) ? withPage(response) : response];
    }),
  );
}

function commonStatuses(row: Operation, hasIfMatch: boolean): number[] {
  const isPublic = row.audience === 'public';
  const sends = row.body !== undefined || row.form !== undefined;
  const reads = sends || row.query !== undefined;
  return [
    ...(reads || !isPublic ? [400] : []),
    ...(isPublic ? [] : [401, 403]),
    ...(mayMiss(row) ? [404] : []),
    ...(takesIdempotencyKey(row) ? [409] : []),
    ...(hasIfMatch ? [412] : []),
    ...(sends ? [413, 415] : []),
    // Every query parameter may be given once only; but where the answer is a file, the query is passed on as it is.
    ...(reads || !isPublic || !mediaOf(row.reply) ? [422] : []),
    ...[429, 500, 502, 503, 504],
  ];
}

/** Whether it refers to a record that may not exist: by an id in the path or the body, or by being about the caller's own. */
function mayMiss({ params, body, method, audience, reply }: Operation): boolean {
  if (params || walkIds(body).length > 0) return true;
  return audience !== 'public' && method !== 'POST' && !isPage(reply) && !pageOrOther(reply);
}

function withOwn(status: number, own: ErrorCodes, inCommon: Shared | undefined): Part {
  const all = { ...own, ...known(inCommon?.codes ?? []) };
  const lines = Object.entries(all).map(([code, [, message]]) => `- \`${code}\`: ${message}`);
  return errorResponse(status, `By \`code\`:\n\n${lines.join('\n')}`, all);
}

/** Browsers, which prefer HTML, get the message as a page. */
function withPage(response: Part): Part {
  return { ...response, content: { ...(response.content as Part), 'text/html': { schema: { type: 'string' } } } };
}

function known(codes: (keyof typeof knownErrors)[]): ErrorCodes {
  return Object.fromEntries(codes.map((code) => [code, knownErrors[code]]));
}

function errorResponse(status: number, description: string, errors: ErrorCodes): Part {
  const examples = Object.entries(errors).map(([code, [, message]]) => [
    code,
    { summary: message, value: failureExample(status, code, message) },
  ]);
  return {
    description,
    headers: errorHeaders(status),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
}

function failureExample(status: number, code: string, message: string): Part {
  const errors = fieldErrors[code];
  return { success: false, status, message, code, ...(errors && { errors }), meta: exampleMeta };
}
