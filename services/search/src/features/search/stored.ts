import type { Tx } from '../../handler.ts';

/** A document as it is stored. */
export interface Stored {
  key: number;
  documentId: string;
  /** As JSON: a page may have 6 MB of documents, which are parsed one by one. */
  document: string;
}

/** Documents by their keys. */
export async function readStored(tx: Tx, keys: number[]): Promise<Map<number, Stored>> {
  if (!keys.length) return new Map();
  const rows = await tx.sql<Stored>`
    SELECT id AS key, document_id AS "documentId", document::text AS document FROM document
    WHERE id = ANY(${keys}::bigint[]) AND removed_at IS NULL`;
  return new Map(rows.map((row) => [row.key, row]));
}
