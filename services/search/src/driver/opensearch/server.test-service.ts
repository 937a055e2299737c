// A server with the part of OpenSearch's REST API that the driver uses, in memory. It is as strict as OpenSearch: an unknown
// field, clause or option is answered 400. Changes are visible at once.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { aggregate, BadQuery, type Properties, type Stored, scoreOf, sortHits } from './query.test-service.ts';

interface Index {
  properties: Properties;
  documents: Map<string, Stored>;
  /** Versions of removed documents. */
  removed: Map<string, number>;
}

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
}

export interface OpenSearchServer {
  url: string;
  /** The documents of its index, which a test may change. */
  documents(): Map<string, Stored>;
  /** Requests that the server has answered, as `POST /index/_search`. */
  requests: string[];
  /** Answers the next requests with this path itself: with a status, or not at all. */
  failOn(path: RegExp, failure: number | 'silent' | { items: number }, times?: number): void;
  /** Answers all requests again, and ends those that got no answer. */
  recover(): void;
  close(): Promise<void>;
}

export async function startOpenSearch(): Promise<OpenSearchServer> {
  const indexes = new Map<string, Index>();
  const requests: string[] = [];
  const held = new Set<http.ServerResponse>();
  let failures: { path: RegExp; failure: number | 'silent' | { items: number }; left: number }[] = [];
  const server = http.createServer(async (request, response) => {
    const body = await text(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    requests.push(`${request.method} ${url.pathname}`);
    const failing = failures.find(({ path, left }) => left > 0 && path.test(url.pathname));
    if (failing) failing.left--;
    if (failing?.failure === 'silent') return void held.add(response);
    const refusedItems = typeof failing?.failure === 'object' ? failing.failure.items : 0;
    const answer =
      typeof failing?.failure === 'number'
        ? { status: failing.failure, body: { error: { type: 'a_failure' }, status: failing.failure } }
        : answerTo({ method: request.method ?? 'GET', url, body, indexes, refusedItems });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    documents: () => [...indexes.values()][0]?.documents ?? new Map(),
    requests,
    failOn: (path, failure, times = Number.POSITIVE_INFINITY) => void failures.push({ path, failure, left: times }),
    recover: () => {
      failures = [];
      for (const response of held) response.destroy();
      held.clear();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Asked {
  method: string;
  url: URL;
  body: string;
  indexes: Map<string, Index>;
  /** So many items of a bulk request are refused with 429. */
  refusedItems: number;
}

function answerTo(asked: Asked): Answer {
  const { method, url, indexes } = asked;
  const [, first = '', second] = url.pathname.split('/');
  try {
    if (first === '_bulk' && method === 'POST') return bulk(asked);
    if (!second && method === 'HEAD') return { status: indexes.has(first) ? 200 : 404, body: {} };
    if (!second && method === 'PUT') return create(asked, first);
    const index = indexes.get(first);
    if (!index) return failed(404, 'index_not_found_exception');
    if (second === '_search' && method === 'POST') return search(asked, index);
    if (second === '_delete_by_query' && method === 'POST') return deleteByQuery(asked, index);
    return failed(400, 'illegal_argument_exception', `${method} ${url.pathname}`);
  } catch (error) {
    if (error instanceof BadQuery || error instanceof SyntaxError)
      return failed(400, 'parsing_exception', error.message);
    throw error;
  }
}

function failed(status: number, type: string, reason = ''): Answer {
  return { status, body: { error: { type, reason, root_cause: [] }, status } };
}

function create({ body, indexes }: Asked, name: string): Answer {
  if (indexes.has(name)) return failed(400, 'resource_already_exists_exception', 'resource_already_exists_exception');
  const { mappings } = JSON.parse(body) as { mappings: { properties: Properties } };
  indexes.set(name, { properties: mappings.properties, documents: new Map(), removed: new Map() });
  return { status: 200, body: { acknowledged: true } };
}

interface Line {
  _index: string;
  _id: string;
  routing: string;
  version: number;
  version_type: string;
}

function bulk({ body, indexes, refusedItems }: Asked): Answer {
  if (!body.endsWith('\n')) throw new BadQuery('A bulk request ends with a line break');
  const lines = body.split('\n').slice(0, -1);
  const items: Json[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [[kind, line] = []] = Object.entries(JSON.parse(lines[at] as string) as Record<string, Line>);
    if (!kind || !line || !['index', 'delete'].includes(kind)) throw new BadQuery(`Unknown action ${kind}`);
    if (line.version_type !== 'external_gte' || !line.routing)
      throw new BadQuery('version_type and routing are required');
    const source = kind === 'index' ? (JSON.parse(lines[++at] as string) as Json) : undefined;
    const status = items.length < refusedItems ? 429 : write(indexes, line, source);
    items.push({ [kind]: { _id: line._id, status, ...(status >= 400 && { error: { type: `status_${status}` } }) } });
  }
  const errors = items.some((item) => Object.values(item).some((one) => (one as { status: number }).status >= 400));
  return { status: 200, body: { took: 1, errors, items } };
}

/** The status of one item of a bulk request. */
function write(indexes: Map<string, Index>, line: Line, source: Json | undefined): number {
  const index = indexes.get(line._index);
  if (!index) return 404;
  const known = index.documents.get(line._id)?.version ?? index.removed.get(line._id) ?? -1;
  if (line.version < known) return 409;
  if (!source) {
    index.removed.set(line._id, line.version);
    return index.documents.delete(line._id) ? 200 : 404;
  }
  // The mapping is strict.
  if (Object.keys(source).some((field) => !(field in index.properties))) return 400;
  index.removed.delete(line._id);
  index.documents.set(line._id, { id: line._id, routing: line.routing, version: line.version, source });
  return 201;
}

const searchOptions = ['query', 'from', 'size', 'sort', 'aggs', 'track_total_hits'];

function search({ url, body }: Asked, { properties, documents }: Index): Answer {
  const asked = JSON.parse(body) as Json;
  const unknown = Object.keys(asked).find((option) => !searchOptions.includes(option));
  if (unknown) throw new BadQuery(`Unknown key for a value in [${unknown}]`);
  const {
    query,
    from = 0,
    size = 10,
    sort = [],
    aggs = {},
    track_total_hits: counted = 10_000,
  } = asked as {
    query: Json;
    from?: number;
    size?: number;
    sort?: Json[];
    aggs?: Record<string, Json>;
    track_total_hits?: number | boolean;
  };
  if (from + size > 10_000) throw new BadQuery('Result window is too large');
  const routing = url.searchParams.get('routing');
  const hits = [...documents.values()]
    .filter((one) => routing === null || one.routing === routing)
    .flatMap((one) => {
      const score = scoreOf(query, one, properties);
      return score === undefined ? [] : [{ ...one, score }];
    });
  const bound = counted === true ? Number.POSITIVE_INFINITY : Number(counted);
  const total = { value: Math.min(hits.length, bound), relation: hits.length > bound ? 'gte' : 'eq' };
  const page = sortHits(hits, sort, properties).slice(from, from + size);
  return {
    status: 200,
    body: {
      took: 1,
      timed_out: false,
      _shards: { total: 1, successful: 1, failed: 0 },
      hits: {
        ...(counted !== false && { total }),
        hits: page.map(({ id, score }) => ({ _id: id, _score: score })),
      },
      aggregations: Object.fromEntries(
        Object.entries(aggs).map(([name, one]) => [name, aggregate(one, hits, properties)]),
      ),
    },
  };
}

function deleteByQuery({ url, body }: Asked, { properties, documents, removed }: Index): Answer {
  const { query, ...others } = JSON.parse(body) as Json;
  if (Object.keys(others).length) throw new BadQuery(`Unknown key [${Object.keys(others)[0]}]`);
  const [routing, max] = [url.searchParams.get('routing'), Number(url.searchParams.get('max_docs'))];
  const found = [...documents.values()]
    .filter((one) => one.routing === routing && scoreOf(query as Json, one, properties) !== undefined)
    .slice(0, max);
  for (const { id, version } of found) {
    documents.delete(id);
    removed.set(id, version + 1);
  }
  return { status: 200, body: { deleted: found.length, failures: [], timed_out: false } };
}
