import { dropUnknownFields, type FieldError, idsInText, type ResourceType, resourceTypes } from '@tandem/contract';
import type { IdCodec } from '@tandem/ids';
import { ApiError } from './http/api-error.ts';
import type { Route } from './routes.ts';

// What stands for an id that is none: no id schema accepts it, so the service names the field with all its other errors.
const noId = '-';

/**
 * The path to send on, with codes turned into ids.
 * @throws ApiError 404 for an id that is not of this type and tenant
 */
export function decodePath(route: Route, values: string[], tenantId: number | undefined, ids: IdCodec): string {
  let next = 0;
  return route.row.path.replace(/\/:([a-zA-Z]+)/g, () => {
    const { type } = route.params[next] as Route['params'][number];
    const value = values[next++] as string;
    if (!type) return `/${encodeURIComponent(value)}`;
    const id = ids.decode(type, tenantId, value);
    if (id === undefined) throw new ApiError('not_found');
    return `/${id}`;
  });
}

/** The query to send on, with codes turned into ids. */
export function decodeQuery(route: Route, search: string, tenantId: number | undefined, ids: IdCodec): string {
  if (search === '' || route.queryIds.size === 0) return search;
  const query = new URLSearchParams(search);
  for (const [field, type] of route.queryIds) {
    const given = query.get(field);
    if (given !== null) query.set(field, String(ids.decode(type, tenantId, given) ?? noId));
  }
  return `?${query}`;
}

/** Turns the codes of a parsed body into ids, in place. */
export function decodeBody(route: Route, body: unknown, tenantId: number | undefined, ids: IdCodec): void {
  route.bodyIds?.(body, (type, found) =>
    typeof found === 'string' ? String(ids.decode(type, tenantId, found) ?? noId) : found,
  );
}

// Below it, parsing and writing the whole is as fast.
const largeBytes = 64 * 1024;

/**
 * The body of a service's answer with codes in place of ids. A service of another release may answer with ids in fields that
 * this gateway does not know; such fields are left out until the gateway is updated.
 * @param answer.idPaths version of the id positions of the reply, as the service knows them
 * @throws ApiError 502 when it cannot be read, or has ids and no tenant they are of: only an error of ours causes that
 */
export function encodeAnswer(
  route: Route,
  { status, body, idPaths }: { status: number; body: Buffer; idPaths?: string | undefined },
  tenantId: number | undefined,
  ids: IdCodec,
): Buffer | string {
  if (status >= 400) return encodeTexts(body, tenantId, ids);
  const { replyIds } = route;
  const isKnown = idPaths === undefined || idPaths === route.replyIdsVersion;
  if (!replyIds && isKnown) return body;
  const encode = (type: ResourceType, found: unknown) => {
    const id = Number(found);
    if (tenantId === undefined || !Number.isSafeInteger(id)) throw new ApiError('bad_gateway');
    return ids.encode(type, tenantId, id);
  };
  const text = body.toString('utf8');
  if (replyIds && isKnown && body.length > largeBytes) return read(() => replyIds.inText(text, encode));
  const reply = read(() => JSON.parse(text));
  if (!isKnown) dropUnknownFields(route.row.reply, route.row.envelope === 'none' ? reply : reply.data);
  replyIds?.inValue(reply, encode);
  return JSON.stringify(reply);
}

/** Turns the ids that stand in the messages of an error into codes. */
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
    throw error instanceof SyntaxError ? new ApiError('bad_gateway') : error;
  }
}

/** Query parameters must each be given once, unless the row takes a list. */
export function repeatedParameter(search: string): FieldError | undefined {
  const seen = new Set<string>();
  for (const [key] of new URLSearchParams(search)) {
    if (seen.has(key)) return { field: key.slice(0, 100), message: 'Is given twice' };
    seen.add(key);
  }
  return undefined;
}
