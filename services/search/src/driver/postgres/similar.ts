import type { Tx } from '../../database.ts';
import { bucketDepthMax, ownRange, probesMax, probesOf, wholeRange } from '../../embedding/buckets.ts';
import { gramSimilarity, sketchOf } from '../../embedding/grams.ts';
import { localModel } from '../../embedding/local.ts';
import { type Condition, rangesOfTerms } from '../conditions.ts';
import type { QueryVector, Search, Similar } from '../driver.ts';
import { mostSimilar } from '../ranking.ts';
import { readMaxOf, statementFor } from './find.ts';
import { checkMax, type Plan, planConditions, sparsePlan } from './plan.ts';
import { type MatchRow, matchStatement, type Size, sizesStatement } from './statements.ts';
import { readVectors } from './vectors.ts';

// Documents whose vectors are compared.
const candidatesMax = 1_000;
// Vectors of a provider are similar without a word in common, so more of them are compared.
const candidatesOfProviderMax = 4_000;
// Words of the index that are similar to one of a question.
const neighboursMax = 5;
const neighbourMin = 0.4;
const sketchedMax = 2_000;

/**
 * The documents with the most similar vectors. No index finds vectors under row-level security, so the candidates are
 * documents with certain terms; the filter is applied to them before they are cut off. Their vectors are compared one by one.
 */
export async function similarDocuments(tx: Tx, search: Search, { model, values }: QueryVector): Promise<Similar[]> {
  const isLocal = model === localModel;
  const max = isLocal ? candidatesMax : candidatesOfProviderMax;
  const plan = isLocal ? await planOfWords(tx, search) : await planOfBuckets(tx, search, { model, values });
  if (!plan) return [];
  const keys = await candidatesOf(tx, plan, max);
  if (!keys.length) return [];
  return mostSimilar(values, await readVectors(tx, model, keys));
}

/** Documents that meet the conditions, so many of them: the conditions are met before candidates are cut off. */
async function candidatesOf(tx: Tx, plan: Plan, max: number): Promise<number[]> {
  const isEarly = plan.driver.size >= checkMax && !plan.scanned.length;
  const early = await readCandidates(tx, plan, { max, readMax: isEarly ? checkMax : readMaxOf(plan) });
  if (!isEarly || !early.isCut) return early.keys;
  const sparser = await sparsePlan(tx, plan);
  return (await readCandidates(tx, sparser, { max, readMax: readMaxOf(sparser) })).keys;
}

/** @returns the keys, and whether reading ended before there were enough of them */
async function readCandidates(tx: Tx, plan: Plan, { max, readMax }: { max: number; readMax: number }) {
  const bounds = { offset: 0, limit: max, matchMax: max, readMax };
  // Candidates are not ranked by words, which would take longer than to compare them.
  const statement = { ...statementFor(plan, bounds), words: [], blockSize: max };
  const rows = await matchStatement<Promise<MatchRow[]>>(tx.sql, statement);
  return { keys: rows.flatMap(({ key }) => (key === null ? [] : [key])), isCut: rows[0]?.isCut ?? false };
}

/** Candidates for a local vector: documents that have one of the words, the rarest word first, or one that is similar. */
async function planOfWords(tx: Tx, search: Search): Promise<Plan | undefined> {
  const { index, question } = search;
  const bySize = (await wordsBySize(tx, search, candidatesMax)).map(({ word }) => word);
  const asked = question.words.map(({ low }) => low);
  const alike = question.isExact ? [] : await neighboursOf(tx, index, asked);
  const ranges = rangesOfTerms([...new Set([...bySize, ...alike])]);
  return ranges.length ? planConditions(tx, search, { ranges, isFilter: false }) : undefined;
}

/**
 * Candidates for the vector of a provider: all documents that pass the filter if they are few, else those whose vectors are
 * probably similar, and those with a rare word of the question.
 */
async function planOfBuckets(tx: Tx, search: Search, { model, values }: QueryVector): Promise<Plan> {
  const whole = { ranges: [{ ...wholeRange(model), points: 0 }], isFilter: false };
  const plan = await planConditions(tx, search, whole);
  if (plan.driver.size < candidatesOfProviderMax) return plan;
  const depth = await depthFor(tx, search.index, { model, values });
  const words = (await wordsBySize(tx, search, candidatesOfProviderMax))
    .filter(({ size }) => size < candidatesOfProviderMax)
    .map(({ word }) => word);
  const probes = probesOf(model, values, depth).map((range) => ({ ...range, points: 0 }));
  return planConditions(tx, search, { ranges: [...probes, ...rangesOfTerms(words)], isFilter: false });
}

/** How many bits of a code are compared, so that the documents in all ranges are about as many as are compared. */
async function depthFor(tx: Tx, index: string, { model, values }: QueryVector): Promise<number> {
  const sizeMax = Math.ceil(candidatesOfProviderMax / probesMax);
  const conditions: Condition[] = Array.from({ length: bucketDepthMax }, (_, n) => ({
    ranges: [{ ...ownRange(model, values, n + 1), points: 0 }],
    isFilter: false,
  }));
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax });
  const fitting = sizes.filter(({ size }) => size < sizeMax).map(({ n }) => n + 1);
  return Math.min(bucketDepthMax, ...fitting);
}

/** The words of the question with the number of their documents, the rarest first. */
async function wordsBySize(
  tx: Tx,
  { index, question }: Search,
  sizeMax: number,
): Promise<{ word: string; size: number }[]> {
  const asked = question.words.map(({ low }) => low);
  const conditions = asked.map((term) => ({ ranges: rangesOfTerms([term]), isFilter: false }));
  const sizes = await sizesStatement<Promise<Size[]>>(tx.sql, { index, conditions, sizeMax });
  return sizes
    .toSorted((one, other) => one.size - other.size || one.n - other.n)
    .map(({ n, size }) => ({ word: asked[n] ?? '', size }));
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
