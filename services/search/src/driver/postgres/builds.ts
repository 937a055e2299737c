import type { Tx } from '../../database.ts';
import type { DocumentType, Writing } from '../document.ts';
import { excludeWriters, indexName, liveIndex } from './generations.ts';
import { writeDocuments } from './write-documents.ts';

const copiedMax = 1_000;
const droppedMax = 500;
const droppedSpellingsMax = 5_000;

/** How far the build of an index is. */
export interface Build {
  type: DocumentType;
  live: number;
  building: number;
  /** First the records of the service that owns them, then the documents that clients sent. */
  step: 'records' | 'own' | 'done';
  /** The position of the step; after the last one, the change of documents with which the index was complete. */
  after: number;
  read: number;
}

/**
 * Begins new indexes. From the commit on, every change is written into both the live index and the new one.
 * @returns the types whose index is being built already; if there are some, none is begun
 */
export async function beginBuilds(tx: Tx, jobId: number, types: DocumentType[]): Promise<DocumentType[]> {
  await excludeWriters(tx);
  const running = await tx.sql<{ type: DocumentType }>`SELECT type FROM index_generation
    WHERE type = ANY(${types}::text[]) AND building IS NOT NULL ORDER BY type`;
  if (running.length) return running.map(({ type }) => type);
  await tx.sql`INSERT INTO index_generation (type, building, latest, job_id, step)
    SELECT type, 2, 2, ${jobId}::bigint, 'records' FROM unnest(${types}::text[]) AS type
    ON CONFLICT (tenant_id, environment, type) DO UPDATE SET building = index_generation.latest + 1,
      latest = index_generation.latest + 1, job_id = excluded.job_id, step = excluded.step, after = 0, read = 0`;
  return [];
}

/** The builds of a job that have not ended. */
export function buildsOf(tx: Tx, jobId: number): Promise<Build[]> {
  return tx.sql`SELECT type, live, building, step, after, read FROM index_generation
    WHERE job_id = ${jobId}::bigint AND building IS NOT NULL ORDER BY type`;
}

/** Writes a page of records into the new index, and notes the position in the same transaction. */
export async function buildPage(
  tx: Tx,
  build: Build,
  page: { writings: Writing[]; next: number | null },
): Promise<void> {
  if (page.writings.length) await writeDocuments(tx, page.writings, { sameVersion: true, intoNew: true });
  const isLast = page.next === null;
  await noteStep(tx, build, { step: isLast ? 'own' : 'records', after: page.next ?? 0, read: page.writings.length });
}

/** Copies a page of the documents of clients into the new index: those that it does not have yet. */
export async function copyOwnPage(tx: Tx, build: Build): Promise<void> {
  // Nobody may change a document between its reading and its writing: the documents of clients have no versions.
  await excludeWriters(tx);
  const { type, live, building, after } = build;
  const rows = await tx.sql<{
    id: number;
    documentId: string;
    document: Record<string, unknown> | null;
    indexedAt: Date;
  }>`
    SELECT page.id, page.document_id AS "documentId", page.indexed_at AS "indexedAt",
      CASE WHEN page.type = ${indexName(type, live)} AND page.version = 0 AND page.removed_at IS NULL AND NOT EXISTS (
        SELECT FROM document built WHERE built.type = ${indexName(type, building)} AND built.document_id = page.document_id)
      THEN page.document END AS document
    FROM (SELECT * FROM document WHERE id > ${after}::bigint ORDER BY id LIMIT ${copiedMax}::int) AS page ORDER BY page.id`;
  const writings = rows.flatMap(({ documentId, document, indexedAt }) =>
    document ? [{ type, documentId, document, indexedAt }] : [],
  );
  if (writings.length) await writeDocuments(tx, writings, { intoNew: true });
  const isLast = rows.length < copiedMax;
  const at = isLast ? await lastChange(tx) : (rows.at(-1)?.id ?? 0);
  await noteStep(tx, build, { step: isLast ? 'done' : 'own', after: at, read: writings.length });
}

/** The last noted change of documents: no writer has an earlier one that is not committed. */
async function lastChange(tx: Tx): Promise<number> {
  const [row] = await tx.sql<{ id: number }>`SELECT coalesce(max(id), 0)::bigint AS id FROM index_change`;
  return row?.id ?? 0;
}

async function noteStep(tx: Tx, { type, building }: Build, now: Pick<Build, 'step' | 'after' | 'read'>): Promise<void> {
  await tx.sql`UPDATE index_generation SET step = ${now.step}, after = ${now.after}::bigint, read = read + ${now.read}::int
    WHERE type = ${type} AND building = ${building}::int`;
}

/** Makes the new indexes of a job the live ones, all at once. */
export async function swapBuilds(tx: Tx, jobId: number): Promise<void> {
  await excludeWriters(tx);
  await tx.sql`UPDATE index_generation SET live = building, building = NULL, step = NULL
    WHERE job_id = ${jobId}::bigint AND building IS NOT NULL`;
}

/** Ends the builds of a job that failed; the live indexes stay. */
export async function abandonBuilds(tx: Tx, jobId: number): Promise<Build[]> {
  await excludeWriters(tx);
  const builds = await buildsOf(tx, jobId);
  await tx.sql`UPDATE index_generation SET building = NULL, step = NULL WHERE job_id = ${jobId}::bigint`;
  return builds;
}

/** Deletes a part of an index that is neither searched nor written. @returns whether there is more */
export async function dropPart(tx: Tx, type: DocumentType, generation: number): Promise<boolean> {
  const [state] = await tx.sql`SELECT FROM index_generation
    WHERE type = ${type} AND (live = ${generation}::int OR building = ${generation}::int)`;
  if (state) return false;
  const index = indexName(type, generation);
  const documents = await tx.sql<{ documentId: string }>`
    WITH part AS MATERIALIZED (
      SELECT id FROM document WHERE type = ${index} AND document_id >= '' ORDER BY document_id LIMIT ${droppedMax}::int),
    postings AS (DELETE FROM posting WHERE doc_id = ANY(ARRAY(SELECT id FROM part))),
    vectors AS (DELETE FROM embedding WHERE doc_id = ANY(ARRAY(SELECT id FROM part)))
    DELETE FROM document WHERE id = ANY(ARRAY(SELECT id FROM part)) RETURNING document_id AS "documentId"`;
  await hideMissing(
    tx,
    type,
    documents.map(({ documentId }) => documentId),
  );
  const spellings = await tx.sql`DELETE FROM spelling WHERE type = ${index} AND (form, word) IN (
    SELECT form, word FROM spelling WHERE type = ${index} ORDER BY form, word LIMIT ${droppedSpellingsMax}::int)
    RETURNING 1 AS one`;
  return documents.length > 0 || spellings.length > 0;
}

/** Hides the pairs of documents that the live index does not have: their records were removed, and no event told of it. */
async function hideMissing(tx: Tx, type: DocumentType, documentIds: string[]): Promise<void> {
  if (!documentIds.length) return;
  const live = await liveIndex(tx, type);
  await tx.sql`UPDATE duplicate_record AS record SET removed_at = now()
    WHERE record.type = ${type} AND record.document_id = ANY(${documentIds}::text[]) AND removed_at IS NULL
      AND NOT EXISTS (SELECT FROM document WHERE type = ${live} AND document_id = record.document_id)`;
}
