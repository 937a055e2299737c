import { fragment } from '@tandem/tenant-db';
import type { Tx } from '../../database.ts';
import { pointsMax, rangesOfTerms, wordCondition } from '../conditions.ts';
import type { Rarity, Search, Wanting, WordMatch } from '../driver.ts';
import { idfOf } from '../ranking.ts';
import { sizeMax } from './plan.ts';
import { documentCount } from './rarity.ts';
import { type Size, sizesStatement } from './statements.ts';

/** A term of a document in a range of terms. Under row-level security the primary key is the index that fits. */
const inDocument = fragment`SELECT term, weight FROM posting
  WHERE doc_id = candidate.key AND posting.term >= range.low AND posting.term < range.high ORDER BY posting.term OFFSET 0`;

/** How documents have the words of a question: for each word the best of their terms. */
export function wordsOfDocuments(tx: Tx, { question }: Search, keys: number[]): Promise<WordMatch[]> {
  const words = question.words.flatMap((word, n) => wordCondition(word).ranges.map((range) => ({ ...range, n })));
  return tx.sql`
    SELECT DISTINCT ON (candidate.key, range.n) candidate.key, range.n AS word, found.term, found.weight,
      found.weight * range.points / ${pointsMax}::float AS strength
    FROM unnest(${keys}::bigint[]) AS candidate (key)
      CROSS JOIN jsonb_to_recordset(${JSON.stringify(words)}::jsonb) AS range (n int, low text, high text, points float)
      CROSS JOIN LATERAL (${inDocument}) AS found
    ORDER BY candidate.key, range.n, found.weight * range.points DESC, found.term`;
}

/** Those of the documents that have every word, or that the question as a whole equals. */
export async function documentsWithWords(tx: Tx, { question }: Search, keys: number[]): Promise<Set<number>> {
  if (!keys.length) return new Set();
  const conditions = [...question.words.map((word) => wordCondition(word).ranges), rangesOfTerms(question.wholes)];
  const ranges = conditions.flatMap((condition, n) => condition.map((range) => ({ ...range, n })));
  const rows = await tx.sql<{ key: number }>`
    SELECT candidate.key FROM unnest(${keys}::bigint[]) AS candidate (key)
      CROSS JOIN jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) AS range (n int, low text, high text)
      CROSS JOIN LATERAL (${inDocument}) AS found
    GROUP BY candidate.key
    HAVING bool_or(range.n = ${question.words.length}::int) OR count(DISTINCT range.n) = ${question.words.length}::int`;
  return new Set(rows.map(({ key }) => key));
}

/** How rare the words of a question are. */
export async function raritiesOf(tx: Tx, { index, question }: Search, caller: Wanting['caller']): Promise<Rarity[]> {
  const conditions = question.words.map((word) => wordCondition(word));
  if (!conditions.length) return [];
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax });
  const documents = await documentCount(tx, caller, index);
  return sizes
    .toSorted((one, other) => one.n - other.n)
    .map(({ size }) => ({ documents: size, idf: idfOf(size, documents) }));
}
