import type { Tx } from '../../database.ts';
import { gramSimilarity, sketchOf } from '../../embedding/grams.ts';
import { type Condition, rangesOfTerms } from '../conditions.ts';
import type { QueryVector, Search, Similar } from '../driver.ts';
import { mostSimilar } from '../ranking.ts';
import { statementFor } from './find.ts';
import { planConditions, sparse } from './plan.ts';
import { type MatchRow, matchStatement, type Size, sizesStatement } from './statements.ts';
import { readVectors } from './vectors.ts';

// Documents whose vectors are compared.
const candidatesMax = 1_000;
const readMax = 8_000;
// Words of the index that are similar to one of a question.
const neighboursMax = 5;
const neighbourMin = 0.4;
const sketchedMax = 2_000;

/**
 * The documents with the most similar vectors. No index finds vectors under row-level security, so the candidates are
 * documents with one of the words or one that is similar to them, of the rarest words first; the filter is applied to them
 * before they are cut off. Their vectors are compared one by one.
 */
export async function similarDocuments(tx: Tx, search: Search, { model, values }: QueryVector): Promise<Similar[]> {
  const condition = await candidateCondition(tx, search);
  if (!condition.ranges.length) return [];
  const plan = await planConditions(tx, search, condition);
  // The postings of a condition that is joined are read to their end, so that it is met before candidates are cut off.
  const bounds = {
    offset: 0,
    limit: candidatesMax,
    matchMax: candidatesMax,
    readMax: plan.scanned.length ? sparse.scanMax : readMax,
  };
  // Candidates are not ranked by words, which would take longer than to compare them.
  const statement = { ...statementFor(plan, bounds), words: [], blockSize: candidatesMax };
  const rows = await matchStatement<Promise<MatchRow[]>>(tx.sql, statement);
  const keys = rows.flatMap(({ key }) => (key === null ? [] : [key]));
  if (!keys.length) return [];
  return mostSimilar(values, await readVectors(tx, model, keys));
}

/** Documents that have one of the words, the rarest word first, or one that is similar. */
async function candidateCondition(tx: Tx, { index, question }: Search): Promise<Condition> {
  const asked = question.words.map(({ low }) => low);
  const conditions = asked.map((term) => ({ ranges: rangesOfTerms([term]), isFilter: false }));
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax: candidatesMax });
  const bySize = sizes
    .toSorted((one, other) => one.size - other.size || one.n - other.n)
    .map(({ n }) => asked[n] ?? '');
  const alike = question.isExact ? [] : await neighboursOf(tx, index, asked);
  return { ranges: rangesOfTerms([...new Set([...bySize, ...alike])]), isFilter: false };
}

/** Words of the index with a similar spelling, the most similar first. */
async function neighboursOf(tx: Tx, index: string, words: string[]): Promise<string[]> {
  const forms = words.flatMap(sketchOf);
  if (!forms.length) return [];
  const rows = await tx.sql<{ word: string }>`
    SELECT DISTINCT word FROM (SELECT word FROM spelling WHERE type = ${index} AND form = ANY(${forms}::text[])
      LIMIT ${sketchedMax}::int) AS sketched`;
  return words
    .flatMap((asked) =>
      rows
        .map(({ word }) => ({ word, similarity: gramSimilarity(asked, word) }))
        .filter(({ similarity }) => similarity >= neighbourMin)
        .sort((one, other) => other.similarity - one.similarity || (one.word < other.word ? -1 : 1))
        .slice(0, neighboursMax),
    )
    .sort((one, other) => other.similarity - one.similarity)
    .map(({ word }) => word);
}
