import {
  type IdPath,
  idPathsVersion,
  idTypeOf,
  mediaOf,
  type Operation,
  type ResourceType,
  type SchemaNode,
  walkIds,
} from '@tandem/contract';
import { compileRewriter, compileTextRewriter, type Rewriter, type TextRewriter } from '@tandem/ids';

/** A row with everything about it that can be worked out once, at start. */
export interface Route {
  row: Operation;
  service: string;
  audience: 'tenant' | 'portal' | 'public';
  /** What is streamed instead of being read: the request's form, or the answer. */
  streams: 'form' | 'answer' | undefined;
  /** Headers that every answer of it has. */
  headers: Record<string, string>;
  /** Headers that the service may add: as they come, and as they are written. */
  ownHeaders: { from: string; name: string }[];
  /** Path parameters in order; those that are ids with their type. */
  params: { field: string; type: ResourceType | undefined }[];
  queryIds: Map<string, ResourceType>;
  bodyIds: Rewriter | undefined;
  /** In a parsed answer, and in the text of a large one. */
  replyIds: { inValue: Rewriter; inText: TextRewriter } | undefined;
  /** A service of another release answers with another version: its reply may have ids in fields that are not known here. */
  replyIdsVersion: string;
}

/** What a method and path lead to. */
export type Match = { route: Route; values: string[] } | { allowed: string[] } | undefined;

interface Node {
  literals: Map<string, Node>;
  param?: Node;
  routes: Map<string, Route>;
}

/** Compiles rows into a matcher. Literal segments win over parameters; `%3A` reads as a colon. */
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
    const hit = found.routes.get(method === 'HEAD' ? 'GET' : method);
    return hit ? { route: hit, values } : { allowed: allowed(found) };
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
  const params = [...row.path.matchAll(/\/:([a-zA-Z]+)/g)].map(([, field]) => ({
    field: field as string,
    type: idTypeOf(shape[field as string] as SchemaNode),
  }));
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
    streams: row.form ? 'form' : mediaOf(row.reply) && 'answer',
    headers: endOf(row),
    ownHeaders: Object.keys(row.headers ?? {}).map((name) => ({ from: name.toLowerCase(), name })),
    params,
    queryIds: new Map(queryIds),
    bodyIds: rewriter(walkIds(row.body)),
    replyIds: replyRewriters(prefix(walkIds(row.reply))),
    replyIdsVersion: idPathsVersion(mediaOf(row.reply) ? undefined : row.reply),
  };
}

/** RFC 9745 and RFC 8594: since when, until when, and what instead. */
function endOf({ deprecated }: Operation): Record<string, string> {
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

function replyRewriters(paths: IdPath[]): Route['replyIds'] {
  return paths.length ? { inValue: compileRewriter(paths), inText: compileTextRewriter(paths) } : undefined;
}
