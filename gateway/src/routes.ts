import {
  type IdPath,
  idPathsVersion,
  idTypeOf,
  mediaOf,
  type Operation,
  pathParameters,
  type ResourceType,
  type SchemaNode,
  walkIds,
} from '@tandem/contract';
import { compileRewriter, compileTextRewriter, type Rewriter, type TextRewriter } from '@tandem/ids';

/** A contract row with everything that is precomputed at startup. */
export interface Route {
  row: Operation;
  service: string;
  audience: 'tenant' | 'portal' | 'public';
  /** What is streamed instead of buffered: the request's form, or the response. */
  streams: 'upload' | 'download' | undefined;
  /** Headers of every response of the operation. */
  headers: Record<string, string>;
  /** Response headers specific to the operation: name in lower case, and as sent to the client. */
  ownHeaders: { from: string; name: string }[];
  /** Path parameters in order; `type` is set for ids. */
  params: { field: string; type: ResourceType | undefined }[];
  queryIds: Map<string, ResourceType>;
  bodyIds: Rewriter | undefined;
  /** Encoders for a parsed response, and for the text of a large one. */
  responseIds: { inValue: Rewriter; inText: TextRewriter } | undefined;
  /**
   * Version of the id positions. A service of another release may send another one, with ids in fields unknown here.
   */
  responseIdsVersion: string;
}

/** The route for a method and path, or the methods that the path allows; undefined if the path is unknown. */
export type Match = { route: Route; values: string[] } | { allowed: string[] } | undefined;

interface Node {
  literals: Map<string, Node>;
  param?: Node;
  routes: Map<string, Route>;
}

/** Compiles rows into a matcher. Literal segments win over parameters; percent-encoding is decoded. */
export function compileRoutes(
  operations: { row: Operation; service: string }[],
): (method: string, path: string) => Match {
  const root = node();
  for (const { row, service } of operations) {
    let at = root;
    for (const segment of row.path.split('/').slice(1)) at = segment.startsWith(':') ? param(at) : literal(at, segment);
    if (at.routes.has(row.method)) throw new Error(`${row.method} ${row.path} is declared twice`);
    at.routes.set(row.method, route(row, service));
  }
  return (method, path) => {
    const segments = path.split('/').slice(1);
    if (path.includes('%') && !decodeAll(segments)) return undefined;
    const values: string[] = [];
    const found = walk(root, segments, 0, values);
    if (!found) return undefined;
    const matched = found.routes.get(method === 'HEAD' ? 'GET' : method);
    return matched ? { route: matched, values } : { allowed: allowed(found) };
  };
}

function node(): Node {
  return { literals: new Map(), routes: new Map() };
}

function param(at: Node): Node {
  at.param ??= node();
  return at.param;
}

function literal(at: Node, segment: string): Node {
  const next = at.literals.get(segment) ?? node();
  at.literals.set(segment, next);
  return next;
}

function walk(at: Node, segments: string[], index: number, values: string[]): Node | undefined {
  if (index === segments.length) return at.routes.size ? at : undefined;
  const segment = segments[index] as string;
  const fixed = at.literals.get(segment);
  const found = fixed && walk(fixed, segments, index + 1, values);
  if (found || !at.param || segment === '') return found;
  values.push(segment);
  const byParam = walk(at.param, segments, index + 1, values);
  if (!byParam) values.pop();
  return byParam;
}

function decodeAll(segments: string[]): boolean {
  try {
    for (const [index, segment] of segments.entries()) segments[index] = decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

function allowed({ routes }: Node): string[] {
  const methods = [...routes.keys()];
  return [...methods, ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
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
    service,
    audience: (row.audience ?? 'tenant') as Route['audience'],
    streams: row.form ? 'upload' : mediaOf(row.reply) && 'download',
    headers: deprecationHeaders(row),
    ownHeaders: Object.keys(row.headers ?? {}).map((name) => ({ from: name.toLowerCase(), name })),
    params,
    queryIds: new Map(queryIds),
    bodyIds: rewriter(walkIds(row.body)),
    responseIds: responseRewriters(prefix(walkIds(row.reply))),
    responseIdsVersion: idPathsVersion(mediaOf(row.reply) ? undefined : row.reply),
  };
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
