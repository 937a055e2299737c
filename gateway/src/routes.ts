import {
  compilePaths,
  type IdKind,
  type IdPath,
  idPathsVersion,
  idTypeOf,
  includesOf,
  isEventStream,
  mediaOf,
  type Operation,
  pathParameters,
  type SchemaNode,
  type SecretPath,
  secretPaths,
  viewResource,
  walkIds,
} from '@tandem/contract';
import { compileRewriter, compileTextRewriter, type Rewriter, type TextRewriter } from '@tandem/ids';

/** A contract row with everything that is precomputed at startup. */
export interface Route {
  row: Operation;
  /** Method and path, as in the documentation: `POST /v1/leads/:id/status`. */
  name: string;
  service: string;
  audience: 'tenant' | 'portal' | 'public';
  /** The part that is streamed instead of buffered: the form or the bytes of the request, or the response. */
  streams: 'upload' | 'download' | 'live' | undefined;
  /** Headers of every response of the operation. */
  headers: Record<string, string>;
  /** Response headers specific to the operation: name in lower case, and as sent to the client. */
  ownHeaders: { from: string; name: string }[];
  /** Path parameters in order; `type` is set for ids. */
  params: { field: string; type: IdKind | undefined }[];
  queryIds: Map<string, IdKind>;
  bodyIds: Rewriter | undefined;
  /** Encoders for a parsed response, and for the text of a large one. */
  responseIds: { inValue: Rewriter; inText: TextRewriter } | undefined;
  /**
   * Version of the id positions. A service of another release may send another one, with ids in fields unknown here.
   */
  responseIdsVersion: string;
  /** The names that `include` accepts, with the positions of their ids in `data`. */
  includes: Map<string, IdPath[]>;
  /** For a list: the `resource` of its views. */
  viewResource: string | undefined;
  /** The path of the row as JSON text. */
  pathText: string;
  /** The positions whose values the API log does not contain. */
  secrets: { request: SecretPath[]; response: SecretPath[] };
  /** The query parameters that the API log contains. */
  loggedParameters: ReadonlySet<string>;
}

/** The route for a method and path, or the methods that the path allows; undefined if the path is unknown. */
export type Match = { route: Route; values: string[] } | { allowed: string[] } | undefined;

/**
 * Compiles rows into a matcher. Literal segments win over parameters; percent-encoding is decoded. On the domain of a
 * tenant only the rows that serve these match.
 */
export function compileRoutes(
  operations: { row: Operation; service: string }[],
): (method: string, path: string, tenantHost?: string) => Match {
  const compiled = (rows: typeof operations) =>
    compilePaths(rows.map(({ row, service }) => ({ method: row.method, path: row.path, value: route(row, service) })));
  const matchOwn = compiled(operations.filter(({ row }) => row.hosts === undefined));
  const matchTenants = compiled(operations.filter(({ row }) => row.hosts === 'tenants'));
  return (method, path, tenantHost) => {
    const matched = tenantHost === undefined ? matchOwn(method, path) : matchTenants(method, path);
    return matched && 'found' in matched ? { route: matched.found, values: matched.values } : matched;
  };
}

function route(row: Operation, service: string): Route {
  const shape = row.params?.shape ?? {};
  const params = pathParameters(row.path).map((field) => ({ field, type: idTypeOf(shape[field] as SchemaNode) }));
  const queryIds = Object.entries(row.query?.shape ?? {}).flatMap(([field, schema]) => {
    const type = idTypeOf(schema as SchemaNode);
    return type ? [[field, type] as const] : [];
  });
  const prefix = (paths: IdPath[]): IdPath[] =>
    row.envelope === 'none' ? paths : paths.map(({ path, type }) => ({ path: ['data', ...path], type }));
  return {
    row,
    name: `${row.method} ${row.path}`,
    service,
    audience: (row.audience ?? 'tenant') as Route['audience'],
    streams: streamsOf(row),
    headers: deprecationHeaders(row),
    ownHeaders: Object.keys(row.headers ?? {}).map((name) => ({ from: name.toLowerCase(), name })),
    params,
    queryIds: new Map(queryIds),
    bodyIds: rewriter(walkIds(row.body)),
    responseIds: responseRewriters(prefix(walkIds(row.reply))),
    responseIdsVersion: idPathsVersion(mediaOf(row.reply) ? undefined : row.reply),
    includes: includesOf(row),
    viewResource: viewResource(row),
    pathText: JSON.stringify(row.path),
    secrets: {
      request: secretPaths(row.body),
      response: secretPaths(row.reply).map((path) => (row.envelope === 'none' ? path : ['data', ...path])),
    },
    loggedParameters: loggedParameters(row),
  };
}

function loggedParameters({ query }: Operation): Set<string> {
  const secret = new Set(secretPaths(query).map(([name]) => name));
  const own = Object.keys(query?.shape ?? {}).filter((name) => !secret.has(name));
  return new Set([...own, 'include', 'view']);
}

function streamsOf(row: Operation): Route['streams'] {
  if (row.form || row.rawBody?.streamed) return 'upload';
  if (isEventStream(row.reply)) return 'live';
  return mediaOf(row.reply) && 'download';
}

/** Deprecation (RFC 9745), Sunset (RFC 8594) and the link to the successor. */
function deprecationHeaders({ deprecated }: Operation): Record<string, string> {
  if (!deprecated) return {};
  return {
    Deprecation: `@${Date.parse(deprecated.since) / 1_000}`,
    Sunset: new Date(deprecated.sunset).toUTCString(),
    Link: `<${deprecated.successor}>; rel="successor-version"`,
  };
}

function rewriter(paths: IdPath[]): Rewriter | undefined {
  return paths.length ? compileRewriter(paths) : undefined;
}

function responseRewriters(paths: IdPath[]): Route['responseIds'] {
  return paths.length ? { inValue: compileRewriter(paths), inText: compileTextRewriter(paths) } : undefined;
}
