import { type GiveUpContext, type JobContext, type JobScope, job } from '@tandem/jobs';
import { createLog, inTurns } from '@tandem/process';
import { fragment } from '@tandem/tenant-db';
import { z } from 'zod';
import { searchedTypes } from '../../driver/document.ts';
import { type OpenSearch, OpenSearchError } from '../../driver/opensearch/client.ts';
import { scopeQuery } from '../../driver/opensearch/query.ts';
import {
  type Action,
  type DocumentRow,
  isSearched,
  removal,
  writeAction,
} from '../../driver/opensearch/stored-document.ts';
import type { Tx } from '../../handler.ts';
import { beginFilling, type Engine, readEngine } from './engine.ts';

/** The job that sends the documents of a tenant to OpenSearch for as long as its searches are answered there. */
export const sendDocumentsJob = { name: 'send-documents', payload: z.object({}) };

const batchMax = 200;
const removedMax = 2_000;
const droppedMax = 5_000;
const idleMs = 1_000;
const retryMs = 60_000;
const comparedEveryMs = 24 * 3_600_000;
const log = createLog('search');

const documentColumns = fragment`SELECT id, type, document, owners, status, source, stage, tier, currency,
  assigned_to AS "assignedTo", score, value, created_at AS "createdAt", removed_at IS NOT NULL AS "isRemoved"`;

/** One batch a run. A run after a crash sends the same documents again, which changes nothing. */
export const sendDocuments = (server: OpenSearch | undefined) =>
  job({
    ...sendDocumentsJob,
    lane: 'opensearch',
    rests: true,
    async run(context: JobContext<object, Tx>) {
      const engine = await readEngine(context.tx);
      if (!engine) return;
      if (!server) throw new Error('Documents are to be sent to OpenSearch, but OPENSEARCH_URL is not set');
      await (engine.state === 'leaving' ? removeAll(server, context) : sendBatch(server, context, engine));
    },
    async giveUp({ schedule }: GiveUpContext<object, Tx>) {
      // The noted changes stay in the table, and PostgreSQL answers searches meanwhile.
      await schedule(sendDocumentsJob, [{}], new Date(Date.now() + retryMs));
    },
  });

async function sendBatch(
  server: OpenSearch,
  { scope, tx, outside, finish }: JobContext<object, Tx>,
  engine: Engine,
): Promise<void> {
  const { filledTo, version } = engine;
  const changes = await readChanges(tx);
  const page = filledTo === null ? [] : await readPage(tx, filledTo);
  const isLastPage = filledTo !== null && page.length < batchMax;
  const filling = await inTurns(page.filter(isSearched), (row) => writeAction(scope, row, version));
  const changed = await changedActions(tx, scope, changes);
  const outcome = await outside(async () => {
    await server.prepare();
    await send(server, scope, [...filling, ...changed]);
    // A document on the server with an older version no longer exists in PostgreSQL.
    return isLastPage ? removeOlder(server, scope, version) : false;
  });
  const isFilled = isLastPage && !outcome;
  const isDue = engine.filledAt !== null && Date.now() - engine.filledAt.getTime() >= comparedEveryMs;
  const isMissing = isDue && !changes.length && (await differs(server, { scope, tx, outside }));
  await finish(async ({ tx: inside }) => {
    await inside.sql`DELETE FROM index_change WHERE id = ANY(${changes.map(({ id }) => id)}::bigint[])`;
    if (isFilled) await endFilling(inside, engine);
    else if (page.length)
      await inside.sql`UPDATE search_engine SET filled_to = ${page.at(-1)?.id}::bigint WHERE version = ${version}::bigint`;
    if (isMissing) await beginFilling(inside);
    else if (isDue)
      await inside.sql`UPDATE search_engine SET filled_at = clock_timestamp() WHERE version = ${version}::bigint`;
    const hasMore = changes.length === batchMax || (filledTo !== null && !isFilled) || isMissing;
    if (!hasMore)
      await inside.sql`UPDATE search_engine SET state = 'live' WHERE state = 'filling' AND filled_to IS NULL`;
    return new Date(Date.now() + (hasMore ? 0 : idleMs));
  });
}

async function endFilling(tx: Tx, { version }: Engine): Promise<void> {
  await tx.sql`UPDATE search_engine SET filled_to = NULL, filled_at = clock_timestamp() WHERE version = ${version}::bigint`;
}

interface Change {
  id: number;
  docId: number;
}

function readChanges(tx: Tx): Promise<Change[]> {
  return tx.sql<Change>`SELECT id, doc_id AS "docId" FROM index_change ORDER BY id LIMIT ${batchMax}::int`;
}

/** The actions that bring changed documents to their current state, each with the version of its newest change. */
async function changedActions(tx: Tx, scope: JobScope, changes: Change[]): Promise<Action[]> {
  if (!changes.length) return [];
  const versions = new Map(changes.map(({ id, docId }) => [docId, id]));
  const rows =
    await tx.sql<DocumentRow>`${documentColumns} FROM document WHERE id = ANY(${[...versions.keys()]}::bigint[])`;
  const known = new Map(rows.filter(isSearched).map((row) => [row.id, row]));
  return inTurns([...versions], ([key, version]) => {
    const row = known.get(key);
    return row ? writeAction(scope, row, version) : removal(key, version);
  });
}

/** A page of the documents that a filling sends. */
async function readPage(tx: Tx, after: number): Promise<DocumentRow[]> {
  return tx.sql<DocumentRow>`${documentColumns} FROM document WHERE id > ${after}::bigint ORDER BY id LIMIT ${batchMax}::int`;
}

/** @throws OpenSearchError when documents have to be sent again; those that the server never accepts are left out */
async function send(server: OpenSearch, scope: JobScope, actions: Action[]): Promise<void> {
  if (!actions.length) return;
  const refused = await server.write(scope, actions);
  const again = refused.find(({ status }) => status === 429 || status >= 500);
  if (again) throw new OpenSearchError(`OpenSearch refused documents: ${again.reason}`, { status: again.status });
  if (refused.length) log.error('OpenSearch does not accept documents', { refused: refused.slice(0, 10) });
}

/** Removes documents that are older than a filling. @returns whether there may be more */
async function removeOlder(server: OpenSearch, scope: JobScope, version: number): Promise<boolean> {
  const filter = [...scopeQuery(scope), { range: { version: { lt: version } } }];
  return (await server.remove(scope, { bool: { filter } }, removedMax)) === removedMax;
}

/** Whether the server has another number of documents than PostgreSQL. */
async function differs(
  server: OpenSearch,
  { scope, tx, outside }: Pick<JobContext<object, Tx>, 'scope' | 'tx' | 'outside'>,
): Promise<boolean> {
  const [row] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM document
    WHERE removed_at IS NULL AND split_part(type, ':', 1) = ANY(${[...searchedTypes]}::text[])`;
  const body = { query: { bool: { filter: scopeQuery(scope) } }, size: 0, track_total_hits: true };
  const reply = await outside(() => server.search(scope, body));
  const counts = { postgres: row?.count ?? 0, opensearch: reply.hits.total?.value ?? 0 };
  const isDifferent = counts.postgres !== counts.opensearch;
  if (isDifferent) log.warn('OpenSearch has another number of documents: all are sent again', counts);
  return isDifferent;
}

/** Removes the documents of a tenant that PostgreSQL answers again. */
async function removeAll(server: OpenSearch, { scope, outside, finish }: JobContext<object, Tx>): Promise<void> {
  const removed = await outside(async () => {
    await server.prepare();
    return server.remove(scope, { bool: { filter: scopeQuery(scope) } }, removedMax);
  });
  await finish(async ({ tx }) => {
    const changes = await tx.sql`DELETE FROM index_change
      WHERE id IN (SELECT id FROM index_change ORDER BY id LIMIT ${droppedMax}::int) RETURNING 1 AS one`;
    if (removed === removedMax || changes.length === droppedMax) return new Date();
    // Unless an operator has changed it meanwhile.
    const left = await tx.sql`DELETE FROM search_engine WHERE state = 'leaving' RETURNING 1 AS one`;
    return left.length ? undefined : new Date();
  });
}
