import { inTurns } from '@tandem/process';
import type { Tx } from '../../database.ts';
import { localModel, localVector } from '../../embedding/local.ts';

/** A stored document and the terms that it is found by, with their weights. */
export interface IndexedDocument {
  /** Key of the row in `document`. */
  id: number;
  /** The index, which is the type of the row. */
  type: string;
  terms: Map<string, number>;
}

/**
 * Makes the local vectors of these documents those of their words. Documents without words have no vector of any model. The
 * vector of a provider stays until the job `embed-documents` has another one.
 */
export async function writeVectors(tx: Tx, documents: IndexedDocument[]): Promise<void> {
  const rows = await inTurns(documents, ({ id, terms }) => {
    const words = [...terms].filter(([, weight]) => weight > 0);
    return { id, vector: words.length ? Buffer.from(localVector(words).buffer).toString('base64') : null };
  });
  await tx.sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row (id bigint, vector text)),
    removed AS (
      DELETE FROM embedding WHERE doc_id = ANY(ARRAY(SELECT id FROM given))
        AND (doc_id = ANY(ARRAY(SELECT id FROM given WHERE vector IS NULL))
          OR starts_with(model, 'local-') AND model <> ${localModel}))
    INSERT INTO embedding (doc_id, model, vector)
    SELECT id, ${localModel}, decode(vector, 'base64') FROM given WHERE vector IS NOT NULL
    ON CONFLICT (tenant_id, environment, doc_id, model) DO UPDATE SET vector = excluded.vector`;
}

/** The vectors that a model made of these documents. */
export async function readVectors(tx: Tx, model: string, keys: number[]): Promise<Map<number, Int8Array>> {
  const rows = await tx.sql<{ key: number; vector: Buffer }>`SELECT doc_id AS key, vector FROM embedding
    WHERE doc_id = ANY(${keys}::bigint[]) AND model = ${model}`;
  return new Map(rows.map(({ key, vector }) => [key, new Int8Array(vector.buffer, vector.byteOffset, vector.length)]));
}
