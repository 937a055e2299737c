import { Client, errors } from '@opensearch-project/opensearch';
import { type Breaker, createBreaker, outgoingGuard } from '@tandem/process';
import { mapping } from './mapping.ts';
import type { Query, Scope, SearchBody, SearchReply } from './query.ts';
import type { Action } from './stored-document.ts';

const searchTimeoutMs = 2_000;
const writeTimeoutMs = 10_000;
const trip = { failures: 5, share: 0.5, windowMs: 10_000 };
const openMs = 2_000;

/** The server did not answer in time, or refused: the caller can ask PostgreSQL, or try again later. */
export class OpenSearchError extends Error {
  /** The status of the response; undefined without one. */
  readonly status: number | undefined;
  constructor(message: string, { status, cause }: { status?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause });
    this.status = status;
  }
}

/** One action of a bulk request that the server did not accept. */
export interface Refused {
  key: number;
  status: number;
  reason: string;
}

/** The calls of a server with OpenSearch's REST API that this service uses. Within a transaction, they throw. */
export interface OpenSearch {
  /** Searches the documents of a tenant. The breaker refuses at once while the server fails. */
  search(scope: Scope, body: SearchBody): Promise<SearchReply>;
  /** Creates the index unless it is there. */
  prepare(): Promise<void>;
  /** Writes and removes documents; an older version than the one in the index changes nothing. */
  write(scope: Scope, actions: Action[]): Promise<Refused[]>;
  /** Removes documents of a tenant that meet a condition, at most `max`; resolves to their number. */
  remove(scope: Pick<Scope, 'tenantId'>, query: Query, max: number): Promise<number>;
  close(): Promise<void>;
}

export interface OpenSearchSettings {
  /** The URL of the server. */
  url: string;
  user?: string;
  password?: string;
  /** The name of the index. */
  index: string;
}

/** Connects to a server; the connection is opened by the first call. */
export function createOpenSearch({ url, user, password, index }: OpenSearchSettings): OpenSearch {
  const client = new Client({
    node: url,
    // A search falls back to PostgreSQL and a job is repeated: retries here would only delay both.
    maxRetries: 0,
    requestTimeout: searchTimeoutMs,
    ...(user && { auth: { username: user, password: password ?? '' } }),
  });
  const breaker = createBreaker({ trip, openMs });
  // The documents of a tenant are in one shard, so that a search asks one.
  const routing = ({ tenantId }: Pick<Scope, 'tenantId'>) => String(tenantId);
  let isPrepared = false;
  return {
    search: (scope, body) =>
      guarded(breaker, async () => {
        const options = { index, routing: routing(scope), body: body as object };
        const reply = await client.search({ ...options, _source: false });
        const { timed_out: isLate, _shards: shards } = reply.body;
        if (isLate || shards.failed) throw new OpenSearchError('The search is not complete');
        return reply.body as unknown as SearchReply;
      }),
    async prepare() {
      if (isPrepared) return;
      await called(async () => {
        const { body: isThere } = await client.indices.exists({ index });
        if (!isThere) await client.indices.create({ index, body: mapping as object }).catch(ignoreExisting);
      });
      isPrepared = true;
    },
    write: (scope, actions) =>
      called(async () => {
        const lines = actions.flatMap(({ key, version, document }) => {
          const to = { _index: index, _id: String(key), routing: routing(scope), version };
          const as = { ...to, version_type: 'external_gte' };
          return document ? [{ index: as }, document] : [{ delete: as }];
        });
        const { body } = await client.bulk({ body: lines }, { requestTimeout: writeTimeoutMs });
        return body.errors ? refusedOf(body.items as unknown as BulkItem[]) : [];
      }),
    remove: (scope, query, max) =>
      called(async () => {
        const { body } = await client.deleteByQuery(
          {
            index,
            routing: routing(scope),
            max_docs: max,
            conflicts: 'proceed',
            refresh: true,
            body: { query: query as object },
          },
          { requestTimeout: writeTimeoutMs },
        );
        return (body as { deleted?: number }).deleted ?? 0;
      }),
    close: () => client.close(),
  };
}

type BulkItem = Record<string, { _id: string; status: number; error?: { type?: string } }>;

function refusedOf(items: BulkItem[]): Refused[] {
  return items
    .flatMap((item) => Object.values(item))
    .filter(({ status }) => status >= 400 && !isHarmless(status))
    .map(({ _id, status, error }) => ({ key: Number(_id), status, reason: error?.type ?? 'unknown' }));
}

/** 409: the index has a newer version. 404: the document to remove is not there. */
function isHarmless(status: number): boolean {
  return status === 409 || status === 404;
}

function ignoreExisting(error: unknown): void {
  const isExisting =
    error instanceof errors.ResponseError && error.message.includes('resource_already_exists_exception');
  if (!isExisting) throw error;
}

async function guarded<T>(breaker: Breaker, call: () => Promise<T>): Promise<T> {
  if (!breaker.admits()) throw new OpenSearchError('The server failed repeatedly');
  try {
    const result = await called(call);
    breaker.succeeded();
    return result;
  } catch (error) {
    breaker.failed();
    throw error;
  }
}

/** @throws OpenSearchError for every failure, without the request, which has words of customers */
async function called<T>(call: () => Promise<T>): Promise<T> {
  outgoingGuard.assertMayCall('OpenSearch');
  try {
    return await call();
  } catch (error) {
    if (error instanceof OpenSearchError) throw error;
    if (!(error instanceof errors.ResponseError)) throw new OpenSearchError((error as Error).name);
    const { statusCode, body } = error.meta as { statusCode: number; body?: { error?: { type?: string } } };
    throw new OpenSearchError(`OpenSearch returned ${statusCode} ${body?.error?.type ?? ''}`.trim(), {
      status: statusCode,
    });
  }
}
