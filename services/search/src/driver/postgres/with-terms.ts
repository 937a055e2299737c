import type { Tx } from '../../database.ts';
import { facetTerm } from '../../terms.ts';
import type { WantedTerms } from '../driver.ts';

/**
 * Keys of documents that have one of these terms. Of each term the newest few are read, after the owners: a key that
 * thousands of documents have costs no more than one that few have, and hides none from a narrowed caller.
 */
export async function documentsWithTerms(tx: Tx, { index, terms, rare, owners, max }: WantedTerms): Promise<number[]> {
  const ownerTerms = owners?.map((owner) => facetTerm('owner', owner)) ?? null;
  const sets = await Promise.all([
    terms.length ? ofEachTerm(tx, { index, terms, ownerTerms, max }) : [],
    rare.length ? ofRareTerms(tx, { index, terms: rare, ownerTerms, max }) : [],
  ]);
  return [...new Set(sets.flat().map(({ key }) => key))];
}

interface Wanted {
  index: string;
  terms: string[];
  ownerTerms: string[] | null;
  max: number;
}

function ofEachTerm(tx: Tx, { index, terms, ownerTerms, max }: Wanted): Promise<{ key: number }[]> {
  return tx.sql`
    SELECT DISTINCT found.doc_id AS key FROM unnest(${terms}::text[]) AS wanted (term)
    CROSS JOIN LATERAL (
      SELECT posting.doc_id FROM posting
      WHERE posting.type = ${index} AND posting.term = wanted.term
        AND (${ownerTerms}::text[] IS NULL OR EXISTS (
          SELECT FROM posting AS owner WHERE owner.doc_id = posting.doc_id AND owner.term = ANY(${ownerTerms}::text[])))
      ORDER BY posting.weight DESC, posting.doc_id DESC LIMIT ${max}::int) AS found`;
}

/**
 * One scan of the index for all terms, which reads a page once for the terms that stand on it: 700 terms take 1 ms, and 11 ms
 * one by one. The subquery hides them from the planner, which would compare each with its statistics.
 */
function ofRareTerms(tx: Tx, { index, terms, ownerTerms, max }: Wanted): Promise<{ key: number }[]> {
  return tx.sql`
    SELECT posting.doc_id AS key FROM posting
    WHERE posting.type = ${index} AND posting.term = ANY(ARRAY(SELECT unnest(${terms}::text[])))
      AND (${ownerTerms}::text[] IS NULL OR EXISTS (
        SELECT FROM posting AS owner WHERE owner.doc_id = posting.doc_id AND owner.term = ANY(${ownerTerms}::text[])
        OFFSET 0))
    LIMIT ${max}::int`;
}
