import { type Operation, takesIdempotencyKey } from '@tandem/contract';
import { exampleId } from './example-ids.ts';
import type { Part } from './json.ts';
import { isForKeys, isVersioned } from './traits.ts';

/**
 * Request headers, as `components.parameters`. They have no example, or one that is off by default: otherwise the
 * reference page would send it with every request that a reader tries, which changes the behaviour of the request.
 */
export const headerParameters: Record<string, Part> = {
  View: {
    name: 'view',
    in: 'query',
    description:
      'The id of a view of this list, whose query is applied. Parameters of the request override those of the view.',
    schema: { type: 'string', pattern: '^(?:view_)?[0-9A-Za-z]{16,20}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique value that you choose. A repeated request with the same body within 24 hours returns the first response and does not run again; with a different body it fails with 409. For operations without credentials, a different body is a new request.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the record as you read it, or its `version` in quotes: `"3"`. If the version changed since, the request fails with 412 and nothing is written.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETags of the record, separated by commas, or `*`. If the record still has one of them, the response is 304 without a body.',
    schema: { type: 'string' },
    examples: offByDefault('"3-q0ZbX9fVJt5u"'),
  },
  OnBehalfOf: {
    name: 'X-On-Behalf-Of',
    in: 'header',
    description:
      'The id of an active user of the tenant to act on behalf of. Requires an API key with the permission `users:act_as`.',
    schema: { type: 'string', pattern: '^(?:user_)?[0-9A-Za-z]{16,20}$' },
  },
  Environment: {
    name: 'X-Environment',
    in: 'header',
    description:
      'Selects the environment when you use an access token; the default is live. An API key or a portal session belongs to one environment; if the header names the other one, the request fails with 400.',
    schema: { type: 'string', enum: ['live', 'sandbox'] },
    examples: offByDefault('sandbox'),
  },
};

/**
 * The example of an optional parameter that is off by default. Scalar shows it in the form, and omits it from samples
 * and requests until the reader enables it. Without it, Scalar would send the first value or the default.
 */
export function offByDefault(value: unknown): Part {
  return { default: { value, 'x-disabled': true } };
}

/** Response headers, as `components.headers`. */
export const responseHeaders: Record<string, Part> = {
  'X-Request-Id': header(
    'The id of this request for logs and support. If the request contains the header, its value is used.',
    'req_5f0c9a7be21d4836c0a1f9e2',
  ),
  'RateLimit-Limit': header('Requests allowed per minute.', 60),
  'RateLimit-Remaining': header('Requests left in the current minute.', 57),
  'RateLimit-Reset': header('Seconds until the current minute ends.', 24),
  'RateLimit-Policy': header('The limit in the format of the IETF draft.', '"minute";q=60;w=60'),
  'X-RateLimit-Limit': header('Requests allowed per minute. Sent only with an API key.', 60),
  'X-RateLimit-Remaining': header('Requests left in the current minute. Sent only with an API key.', 57),
  'X-RateLimit-Reset': header(
    'When the current minute ends, as a Unix timestamp in seconds. Sent only with an API key.',
    1772442960,
  ),
  'X-API-Usage-Current': header(
    'Calls made with live keys this month, including this one. Sent only with an API key.',
    318,
  ),
  'X-API-Usage-Limit': header(
    'Calls per month that the plan includes. Sent only with an API key; absent if there is no limit.',
    1000,
  ),
  'X-Acting-User': header(
    'The user that the request acted on behalf of, if X-On-Behalf-Of was sent.',
    exampleId('user'),
  ),
  'Retry-After': header('Seconds to wait before the next attempt.', 24),
  ETag: header(
    'The version of the record and a digest of its content. If-Match compares the version; If-None-Match compares both.',
    '"3-q0ZbX9fVJt5u"',
  ),
  Deprecation: header('When the operation was deprecated (RFC 9745).', '@1767225600'),
  Sunset: header('When the operation is removed (RFC 8594).', 'Fri, 01 Jan 2027 00:00:00 GMT'),
  Link: header('The operation that replaces this one.', '</v1/ai-generation>; rel="successor-version"'),
  'Idempotent-Replayed': {
    ...header('Present if this is the response to an earlier request.', 'true'),
    schema: { type: 'string', const: 'true' },
  },
};

const ofEveryResponse = ['X-Request-Id'];
const ofEveryLimit = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'];
const ofKeys = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-API-Usage-Current',
  'X-API-Usage-Limit',
];

/** The headers of a successful response. */
export function successHeaders(row: Operation): Record<string, Part> {
  const own = Object.entries(row.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  const shared = references([
    ...ofEveryResponse,
    ...ofEveryLimit,
    ...(isForKeys(row) ? [...ofKeys, 'X-Acting-User'] : []),
    ...(isVersioned(row) ? ['ETag'] : []),
    ...(takesIdempotencyKey(row) ? ['Idempotent-Replayed'] : []),
    ...(row.deprecated ? ['Deprecation', 'Sunset', 'Link'] : []),
  ]);
  const cookies = row.cookies && {
    'Set-Cookie': { description: 'Sets or deletes the cookie.', schema: { type: 'string' } },
  };
  return { ...shared, ...Object.fromEntries(own), ...cookies };
}

/** The response to If-None-Match when the record has not changed, as a component. */
export const notModified: Part = {
  description: 'The record still has an ETag of If-None-Match.',
  headers: references([...ofEveryResponse, ...ofEveryLimit, ...ofKeys, 'X-Acting-User', 'ETag']),
};

/** The headers of an error response. */
export function errorHeaders(status: number): Record<string, Part> {
  return references([
    ...ofEveryResponse,
    ...ofEveryLimit,
    ...(status === 401 ? [] : [...ofKeys, 'X-Acting-User']),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ]);
}

function references(names: string[]): Record<string, Part> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, example: string | number): Part {
  return { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' }, example };
}
