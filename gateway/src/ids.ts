import {
  dropUnknownFields,
  type FieldError,
  fillPath,
  type IdKind,
  idsInText,
  me,
  type ResourceType,
  resourceTypes,
} from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { GatewayError } from './http/gateway-error.ts';
import type { Route } from './routes.ts';

// Replaces an invalid id: no id schema accepts it, so the service reports the field together with its other errors.
const invalidId = '-';
const parametersMax = 100;

/**
 * The upstream path, with public codes decoded to internal ids.
 * @throws GatewayError 404 for an id that is not of this type and tenant
 */
export function decodePath(route: Route, values: string[], tenantId: number | undefined, ids: IdCodec): string {
  let next = 0;
  return fillPath(route.row.path, () => {
    const { type } = route.params[next] as Route['params'][number];
    const value = values[next++] as string;
    if (!type) return encodeURIComponent(value);
    const id = ids.decode(type, tenantId, value);
    if (id === undefined) throw new GatewayError('not_found');
    return id;
  });
}

/**
 * The upstream query, with public codes decoded to internal ids.
 * @throws GatewayError 422 if it has too many parameters: a service reads the first 1,000 and would ignore other filters
 */
export function decodeQuery(route: Route, search: string, tenantId: number | undefined, ids: IdCodec): string {
  if (route.row.query && search.length > parametersMax && new URLSearchParams(search).size > parametersMax)
    throw new GatewayError('validation_failed', {
      errors: [{ field: 'query', message: `Must have at most ${parametersMax} parameters` }],
    });
  if (search === '' || route.queryIds.size === 0) return search;
  const query = new URLSearchParams(search);
  for (const [field, type] of route.queryIds) {
    const codes = query.get(field)?.split(',');
    // The service reads the word `me` as the acting user, and rejects it where it is not a filter by user.
    const idOf = (code: string) =>
      type === 'user' && code === me ? me : (ids.decode(type, tenantId, code) ?? invalidId);
    if (codes) query.set(field, codes.map(idOf).join(','));
  }
  return `?${query}`;
}

/** Decodes the public codes of a parsed body to internal ids, in place. */
export function decodeBody(route: Route, body: unknown, tenantId: number | undefined, ids: IdCodec): void {
  route.bodyIds?.(body, (type, found) =>
    typeof found === 'string' ? String(ids.decode(type, tenantId, found) ?? invalidId) : found,
  );
}

// Below this size, parsing and serializing the whole body is as fast.
const largeBytes = 64 * 1024;

/**
 * The body of a service's response with internal ids encoded as public codes. A service of another release may return
 * ids in fields that this gateway does not know; such fields are removed until the gateway is updated.
 * @param response.idPaths version of the id positions of the response, as sent by the service
 * @throws GatewayError 502 if the body is not JSON, or has ids without a tenant: both are errors of ours
 */
export function encodeResponse(
  route: Route,
  { status, body, idPaths }: { status: number; body: Buffer; idPaths?: string | undefined },
  tenantId: number | undefined,
  ids: IdCodec,
): Buffer | string {
  if (status >= 400) return encodeTexts(body, tenantId, ids);
  const { responseIds } = route;
  const isKnown = idPaths === undefined || idPaths === route.responseIdsVersion;
  if (!responseIds && isKnown) return body;
  const encode = (type: IdKind, found: unknown) => {
    const id = Number(found);
    if (tenantId === undefined || !Number.isSafeInteger(id))
      throw new GatewayError('bad_gateway', { mayHaveRun: true });
    return ids.encode(type, tenantId, id);
  };
  const text = body.toString('utf8');
  if (responseIds && isKnown && body.length > largeBytes) return read(() => responseIds.inText(text, encode));
  const response = read(() => JSON.parse(text));
  if (!isKnown) dropUnknownFields(route.row.reply, route.row.envelope === 'none' ? response : response.data);
  responseIds?.inValue(response, encode);
  return JSON.stringify(response);
}

/** Encodes the ids in the messages of an error as public codes. */
function encodeTexts(body: Buffer, tenantId: number | undefined, ids: IdCodec): Buffer | string {
  if (tenantId === undefined || !body.includes('‹')) return body;
  return body
    .toString()
    .replace(idsInText, (text, type: string, id: string) =>
      Object.hasOwn(resourceTypes, type) ? ids.encode(type as ResourceType, tenantId, Number(id)) : text,
    );
}

function read<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw error instanceof SyntaxError ? new GatewayError('bad_gateway', { mayHaveRun: true }) : error;
  }
}

/** The error for the first query parameter that occurs more than once; undefined if there is none. */
export function repeatedParameter(search: string): FieldError | undefined {
  const seen = new Set<string>();
  for (const [key] of new URLSearchParams(search)) {
    if (seen.has(key)) return { field: key.slice(0, 100), message: 'Must not be sent twice' };
    seen.add(key);
  }
  return undefined;
}
