import { documentTypes } from '@tandem/search-contract';
import type { DocumentType } from '../../driver/document.ts';
import { indexName, typeOfIndex } from '../../driver/postgres/generations.ts';
import { bucketsOf, bucketTerms } from '../../embedding/buckets.ts';
import type { Tx } from '../../handler.ts';

const copiedMax = 500;
const sweptMax = 500;
// A new index is built beside one of the generations just before it.
const generationsBack = 3;

/** A document that has no vector of the model, or one of an earlier text. */
export interface WaitingDocument {
  id: number;
  /** Digest of the text: a vector of an earlier text is not stored. */
  words: string | null;
  type: string;
  document: Record<string, unknown>;
}

/** The next documents that wait: those that changed before those that another model has embedded. */
export function readWaiting(tx: Tx, model: string, max: number): Promise<WaitingDocument[]> {
  return tx.sql`SELECT id, words, type, document FROM (
    (SELECT id, words, type, document FROM document WHERE removed_at IS NULL AND embedded_by IS NULL ORDER BY id LIMIT ${max}::int)
    UNION ALL
    (SELECT id, words, type, document FROM document WHERE removed_at IS NULL AND embedded_by < ${model}
      ORDER BY embedded_by, id LIMIT ${max}::int)
    UNION ALL
    (SELECT id, words, type, document FROM document WHERE removed_at IS NULL AND embedded_by > ${model}
      ORDER BY embedded_by, id LIMIT ${max}::int)) AS waiting LIMIT ${max}::int`;
}

/** Which indexes are searched, now or as soon as they are built. */
export async function readSearchedIndexes(tx: Tx): Promise<(index: string) => boolean> {
  const rows = await tx.sql<{ type: DocumentType; live: number; building: number | null }>`
    SELECT type, live, building FROM index_generation`;
  const generations = new Map(rows.map(({ type, live, building }) => [type, [live, building ?? live]]));
  return (index) => {
    const type = typeOfIndex(index);
    if (!documentTypes.some((one) => one === type)) return false;
    return (generations.get(type) ?? [1]).some((generation) => indexName(type, generation) === index);
  };
}

/** How many documents wait, counted up to a bound. */
export async function countWaiting(tx: Tx, model: string, max: number): Promise<number> {
  const [row] = await tx.sql<{ waiting: number }>`SELECT count(*)::int AS waiting FROM (
    (SELECT FROM document WHERE removed_at IS NULL AND embedded_by IS NULL LIMIT ${max}::int)
    UNION ALL
    (SELECT FROM document WHERE removed_at IS NULL AND embedded_by < ${model} LIMIT ${max}::int)
    UNION ALL
    (SELECT FROM document WHERE removed_at IS NULL AND embedded_by > ${model} LIMIT ${max}::int)) AS counted`;
  return Math.min(row?.waiting ?? 0, max);
}

/** A document with its new vector, or without one because it has no text. */
export interface Embedded extends Pick<WaitingDocument, 'id' | 'words'> {
  vector: Int8Array | undefined;
}

/** Stores the vectors of those documents whose text is still the one that was sent. */
export async function storeVectors(tx: Tx, model: string, embedded: Embedded[]): Promise<void> {
  if (!embedded.length) return;
  const known = new Map(embedded.map((one) => [one.id, one]));
  const locked = await lockDocuments(tx, [...known.keys()]);
  const rows = locked.flatMap(({ id, type, words, isRemoved }) => {
    const { vector, words: sent } = known.get(id) as Embedded;
    if (isRemoved || words !== sent) return [];
    const bytes = vector ? Buffer.from(vector.buffer).toString('base64') : null;
    return [{ id, type, vector: bytes, terms: vector ? bucketTerms(model, vector) : [] }];
  });
  const given = JSON.stringify(rows);
  const ids = rows.map(({ id }) => id);
  const first = bucketsOf(model);
  await tx.sql`UPDATE document SET embedded_by = ${model} WHERE id = ANY(${ids}::bigint[])`;
  await tx.sql`DELETE FROM posting WHERE doc_id = ANY(${ids}::bigint[]) AND term >= ${first} AND term < ${`${first}~`}`;
  await tx.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS row (id bigint, type text, vector text, terms text[])),
    gone AS (
      DELETE FROM embedding WHERE doc_id = ANY(ARRAY(SELECT id FROM given WHERE vector IS NULL)) AND model = ${model}),
    vectors AS (
      INSERT INTO embedding (doc_id, model, vector)
      SELECT id, ${model}, decode(vector, 'base64') FROM given WHERE vector IS NOT NULL
      ON CONFLICT (tenant_id, environment, doc_id, model) DO UPDATE SET vector = excluded.vector)
    INSERT INTO posting (doc_id, type, term, weight) SELECT id, type, unnest(terms), 0 FROM given`;
}

/**
 * Gives documents of an index that is being built the vectors that the model made of the same texts for an earlier index: a
 * rebuild costs nothing then. @returns whether there may be more
 */
export async function copyVectors(tx: Tx, model: string): Promise<boolean> {
  const generations = await tx.sql<{ type: DocumentType; latest: number }>`SELECT type, latest FROM index_generation`;
  if (!generations.length) return false;
  const earlier = generations.flatMap(({ type, latest }) =>
    Array.from({ length: Math.min(latest, generationsBack) }, (_, back) => indexName(type, latest - back)),
  );
  const first = bucketsOf(model);
  const [copied] = await tx.sql<{ documents: number }>`
    WITH waiting AS MATERIALIZED (
      SELECT id, type, document_id, words FROM document WHERE removed_at IS NULL AND embedded_by IS NULL
      ORDER BY id LIMIT ${copiedMax}::int FOR UPDATE SKIP LOCKED),
    twin AS MATERIALIZED (
      SELECT DISTINCT ON (waiting.id) waiting.id, waiting.type, twin.id AS twin_id FROM waiting
        JOIN document AS twin ON twin.type = ANY(${earlier}::text[]) AND twin.document_id = waiting.document_id
      WHERE split_part(twin.type, ':', 1) = split_part(waiting.type, ':', 1) AND twin.id <> waiting.id
        AND twin.words = waiting.words AND twin.embedded_by = ${model} AND twin.removed_at IS NULL),
    noted AS (
      UPDATE document SET embedded_by = ${model} FROM twin WHERE document.id = twin.id RETURNING 1 AS one),
    vectors AS (
      INSERT INTO embedding (doc_id, model, vector)
      SELECT twin.id, model, vector FROM twin JOIN embedding ON doc_id = twin_id WHERE model = ${model}
      ON CONFLICT (tenant_id, environment, doc_id, model) DO UPDATE SET vector = excluded.vector),
    terms AS (
      INSERT INTO posting (doc_id, type, term, weight)
      SELECT twin.id, twin.type, posting.term, 0 FROM twin JOIN posting ON doc_id = twin_id
      WHERE posting.term >= ${first} AND posting.term < ${`${first}~`} ON CONFLICT DO NOTHING)
    SELECT count(*)::int AS documents FROM noted`;
  return (copied?.documents ?? 0) > 0;
}

/** Deletes a page of the vectors that earlier models of the provider made, and notes the position. */
export async function sweepVectors(tx: Tx, model: string, after: number): Promise<void> {
  const rows = await tx.sql<{ id: number }>`SELECT DISTINCT doc_id AS id FROM embedding WHERE doc_id > ${after}::bigint
    ORDER BY doc_id LIMIT ${sweptMax}::int`;
  const ids = rows.map(({ id }) => id);
  await lockDocuments(tx, ids);
  const first = bucketsOf(model);
  await tx.sql`DELETE FROM embedding
    WHERE doc_id = ANY(${ids}::bigint[]) AND model <> ${model} AND NOT starts_with(model, 'local-')`;
  await tx.sql`DELETE FROM posting WHERE doc_id = ANY(${ids}::bigint[]) AND term >= '@' AND term < 'A'
    AND NOT starts_with(term, ${first})`;
  const last = rows.length < sweptMax ? null : (ids.at(-1) ?? null);
  await tx.sql`UPDATE embedding_state SET sweep_after = ${last}::bigint`;
}

/** Locks documents in the order of their writers, so that none waits for another one that waits for it. */
function lockDocuments(
  tx: Tx,
  ids: number[],
): Promise<{ id: number; type: string; words: string | null; isRemoved: boolean }[]> {
  return tx.sql`SELECT id, type, words, removed_at IS NOT NULL AS "isRemoved" FROM document
    WHERE id = ANY(${ids}::bigint[]) ORDER BY type, document_id FOR UPDATE`;
}
