import type { Tx } from '../../database.ts';
import { facetTerm } from '../../terms.ts';

/**
 * Keys of documents that have one of these terms. Of each term the newest few are read, after the owners: a key that
 * thousands of documents have costs no more than one that few have, and hides none from a narrowed caller.
 */
export async function documentsWithTerms(
  tx: Tx,
  { index, terms, owners, max }: { index: string; terms: string[]; owners?: string[] | undefined; max: number },
): Promise<number[]> {
  if (!terms.length) return [];
  const ownerTerms = owners?.map((owner) => facetTerm('owner', owner)) ?? null;
  const rows = await tx.sql<{ key: number }>`
    SELECT DISTINCT found.doc_id AS key FROM unnest(${terms}::text[]) AS wanted (term)
    CROSS JOIN LATERAL (
      SELECT posting.doc_id FROM posting
      WHERE posting.type = ${index} AND posting.term = wanted.term
        AND (${ownerTerms}::text[] IS NULL OR EXISTS (
          SELECT FROM posting AS owner WHERE owner.doc_id = posting.doc_id AND owner.term = ANY(${ownerTerms}::text[])))
      ORDER BY posting.weight DESC, posting.doc_id DESC LIMIT ${max}::int) AS found`;
  return rows.map(({ key }) => key);
}
