import { type MatchKind, matchKinds } from '@tandem/matching';
import { z } from 'zod';
import type { Tx } from '../../database.ts';
import { isMatched } from '../../fields.ts';
import type { DocumentType } from '../document.ts';
import { indexName, typeOfIndex } from './generations.ts';

/** The job that compares the documents that wait. Everybody who notes some schedules it in the same transaction. */
export const pairDocumentsJob = { name: 'pair-documents', payload: z.object({}) };

/** A document whose pairs are to be corrected. */
export interface Check {
  type: MatchKind;
  documentId: string;
}

/** A row of a document that was written. */
export interface WrittenRow {
  /** The index. */
  type: string;
  documentId: string;
  /** Empty for a removed document: it is not found by its owners either. */
  owners: string[];
  isRemoved: boolean;
  /** Whether the fields that are compared have changed. */
  factsChanged: boolean;
}

/**
 * Notes which documents are to be compared with possible duplicates, and gives the records of pairs the owners of their
 * documents. The transaction must have locked the rows of the documents: nobody else changes their records then.
 * @param options.intoNew whether they were written only into an index that is being built: those that have the same fields
 * in the live one have been compared, and the others are compared when the new one is live
 * @returns whether there are documents to compare
 */
export async function noteChecks(
  tx: Tx,
  changed: WrittenRow[],
  { liveOf, intoNew }: { liveOf: (type: DocumentType) => string; intoNew: boolean },
): Promise<boolean> {
  const rows = changed.flatMap(({ type: index, documentId, owners, isRemoved, factsChanged }) => {
    const type = typeOfIndex(index);
    const live = liveOf(type);
    // A row of an index that is being built may lack what the live one has.
    const isCurrent = intoNew || index === live;
    const isCompared = factsChanged && !isRemoved && isCurrent;
    const row = { type, live, documentId, owners, isRemoved, isCurrent, isCompared, index: intoNew ? index : type };
    return isMatched(type) ? [row] : [];
  });
  if (!rows.length) return false;
  const given = JSON.stringify(rows);
  const [, noted] = await Promise.all([followDocuments(tx, given), addChecks(tx, given, intoNew)]);
  return noted.length > 0;
}

/** Gives the records of pairs the owners of their documents, and hides the pairs of removed documents. */
function followDocuments(tx: Tx, given: string): Promise<object[]> {
  return tx.sql`UPDATE duplicate_record AS record
    SET owners = given.owners, removed_at = CASE WHEN given."isRemoved" THEN coalesce(record.removed_at, now()) END
    FROM (SELECT DISTINCT ON (type, "documentId") * FROM jsonb_to_recordset(${given}::jsonb)
      AS row (type text, "documentId" text, owners text[], "isRemoved" boolean, "isCurrent" boolean) WHERE "isCurrent") AS given
    WHERE record.type = given.type AND record.document_id = given."documentId"
      AND (record.owners <> given.owners OR (record.removed_at IS NOT NULL) <> given."isRemoved")`;
}

function addChecks(tx: Tx, given: string, intoNew: boolean): Promise<object[]> {
  return tx.sql`INSERT INTO duplicate_check (index_name, document_id)
    SELECT given.index, given."documentId" FROM jsonb_to_recordset(${given}::jsonb)
      AS given (index text, live text, "documentId" text, "isCompared" boolean)
    WHERE given."isCompared" AND NOT (${intoNew}::boolean AND EXISTS (
      SELECT FROM document AS now, document AS built
      WHERE now.type = given.live AND now.document_id = given."documentId" AND built.type = given.index
        AND built.document_id = given."documentId" AND now.facts = built.facts))
    RETURNING 1 AS one`;
}

/**
 * Takes some of the documents that wait, the oldest first. Two transactions never take the same; documents of an index that
 * is being built stay.
 */
export async function takeChecks(tx: Tx, max: number): Promise<Check[]> {
  const generations = await tx.sql<{ type: DocumentType; latest: number; building: number | null }>`
    SELECT type, latest, building FROM index_generation`;
  const later = generations.flatMap(({ type, latest, building }) =>
    Array.from({ length: latest }, (_, n) => n + 1)
      .filter((generation) => generation !== building)
      .map((generation) => indexName(type, generation)),
  );
  const indexes = [...new Set([...matchKinds, ...later])];
  const rows = await tx.sql<{ index: string; documentId: string }>`
    DELETE FROM duplicate_check WHERE id = ANY(ARRAY(
      SELECT oldest.id FROM unnest(${indexes}::text[]) AS index (name) CROSS JOIN LATERAL (
        SELECT id FROM duplicate_check WHERE index_name = index.name ORDER BY id LIMIT ${max}::int FOR UPDATE SKIP LOCKED) AS oldest
      ORDER BY oldest.id LIMIT ${max}::int))
    RETURNING index_name AS index, document_id AS "documentId"`;
  return rows.map(({ index, documentId }) => ({ type: typeOfIndex(index) as MatchKind, documentId }));
}
