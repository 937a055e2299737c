import type { Comparison, MatchKind } from '@tandem/matching';
import type { Tx } from '../../handler.ts';

/** Two documents of one type. */
export interface TwoIds {
  type: MatchKind;
  /** The smaller of the two document ids. */
  firstId: string;
  secondId: string;
}

/** Two documents and what they currently have in common. */
export type Pair = TwoIds & Comparison;

export function pairOf(type: MatchKind, one: string, other: string): TwoIds {
  return one < other ? { type, firstId: one, secondId: other } : { type, firstId: other, secondId: one };
}

export function pairKey({ type, firstId, secondId }: TwoIds): string {
  return JSON.stringify([type, firstId, secondId]);
}

/** The order in which pairs are locked, so that two transactions cannot wait for each other. */
export function inOrder(one: TwoIds, other: TwoIds): number {
  const [a, b] = [pairKey(one), pairKey(other)];
  return a < b ? -1 : Number(a > b);
}

/**
 * Creates pairs, corrects open ones, and opens dismissed ones whose score has risen. The transaction must have locked the
 * documents.
 * @returns the pairs that are new
 */
export async function storePairs(
  tx: Tx,
  pairs: Pair[],
  documents: { type: MatchKind; documentId: string; owners: string[] }[],
): Promise<TwoIds[]> {
  if (!pairs.length) return [];
  const paired = new Set(pairs.flatMap(({ type, firstId, secondId }) => [`${type} ${firstId}`, `${type} ${secondId}`]));
  const records = documents.filter(({ type, documentId }) => paired.has(`${type} ${documentId}`));
  await tx.sql`INSERT INTO duplicate_record (type, document_id, owners)
    SELECT type, "documentId", owners FROM jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
      AS row (type text, "documentId" text, owners text[])
    ON CONFLICT (tenant_id, environment, type, document_id) DO UPDATE
      SET owners = excluded.owners, removed_at = NULL
      WHERE duplicate_record.owners <> excluded.owners OR duplicate_record.removed_at IS NOT NULL`;
  const rows = pairs.toSorted(inOrder).map(({ signals, ...pair }) => ({
    ...pair,
    signals: signals.map(({ field, similarity, matched }) => ({ field, similarity, matched })),
  }));
  const stored = await tx.sql<
    TwoIds & { isNew: boolean }
  >`INSERT INTO duplicate_pair (type, first_id, second_id, score, level, signals)
    SELECT type, "firstId", "secondId", score, level, signals FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS row (type text, "firstId" text, "secondId" text, score float, level text, signals jsonb)
    ON CONFLICT (tenant_id, environment, type, first_id, second_id) DO UPDATE
      SET score = excluded.score, level = excluded.level, signals = excluded.signals, status = 'open', dismissed_by = NULL,
        dismissed_at = NULL, version = duplicate_pair.version + 1, updated_at = now()
      WHERE duplicate_pair.score < excluded.score OR (duplicate_pair.status = 'open'
        AND (duplicate_pair.score <> excluded.score OR duplicate_pair.signals <> excluded.signals))
    RETURNING new.type, new.first_id AS "firstId", new.second_id AS "secondId", old.id IS NULL AS "isNew"`;
  return stored.filter(({ isNew }) => isNew);
}

/** Removes pairs that are still open. The transaction must have locked the documents. */
export async function removePairs(tx: Tx, pairs: TwoIds[]): Promise<void> {
  if (!pairs.length) return;
  await tx.sql`DELETE FROM duplicate_pair AS pair
    USING jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS row (type text, "firstId" text, "secondId" text)
    WHERE pair.type = row.type AND first_id = row."firstId" AND second_id = row."secondId" AND status = 'open'`;
  await tx.sql`DELETE FROM duplicate_record AS record
    USING jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS row (type text, "firstId" text, "secondId" text)
    WHERE record.type = row.type AND document_id IN (row."firstId", row."secondId")
      AND NOT EXISTS (SELECT FROM duplicate_pair WHERE type = record.type AND first_id = record.document_id)
      AND NOT EXISTS (SELECT FROM duplicate_pair WHERE type = record.type AND second_id = record.document_id)`;
}
