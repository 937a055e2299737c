// The conditions of a search in OpenSearch's query language.
import type { Environment } from '@tandem/caller';
import { type Condition, justAfter, type TermRange, wordCondition } from '../conditions.ts';
import type { Search } from '../driver.ts';
import { filterConditions } from '../filter-conditions.ts';
import { wordField, wordWeights } from './mapping.ts';

export type Query = Record<string, unknown>;

/** The tenant whose documents are searched. */
export interface Scope {
  tenantId: number;
  environment: Environment;
}

export interface SearchBody {
  query: Query;
  from?: number;
  size: number;
  sort?: Query[];
  aggs?: Query;
  /** Up to how many matches are counted; false not to count. */
  track_total_hits: number | boolean;
}

export interface SearchReply {
  hits: {
    total?: { value: number; relation: 'eq' | 'gte' };
    hits: { _id: string; _score: number | null }[];
  };
  aggregations?: Record<string, { buckets: unknown }>;
}

/** More than the points that all words of a question can have. */
export const wholePoints = 100_000;

/** The condition that a document is in the index of this tenant and environment. Every query has it. */
export function scopeQuery({ tenantId, environment }: Scope, index?: string): Query[] {
  const own = [{ term: { tenant: String(tenantId) } }, { term: { environment } }];
  return index === undefined ? own : [...own, { term: { index } }];
}

/** The documents that a search may find: of the tenant, within the filter, and of the owners. */
export function allowedQuery(scope: Scope, search: Search): Query[] {
  return [...scopeQuery(scope, search.index), ...filterConditions(search).map((condition) => anyOf(condition.ranges))];
}

/**
 * The documents that have every word, or that the question as a whole equals. The score is the sum of the points of the
 * words, each by the best of its terms.
 * @param factors what a match of each word counts
 */
export function matchQuery({ question }: Search, factors: number[]): Query {
  if (!question.words.length) return { match_none: {} };
  const words = question.words.map((word, n) => wordQuery(wordCondition(word, factors[n])));
  const whole = { constant_score: { filter: { terms: { terms: question.wholes } }, boost: wholePoints } };
  return { bool: { should: [whole, { bool: { must: words } }], minimum_should_match: 1 } };
}

function wordQuery({ ranges }: Condition): Query {
  const queries = wordWeights.flatMap((weight) =>
    ranges.map((range) => ({
      constant_score: { filter: rangeQuery(range, wordField(weight)), boost: range.points * weight },
    })),
  );
  return { dis_max: { queries } };
}

/** The documents with a word of the question, whatever it counts. */
export function wordFilter(word: Search['question']['words'][number], weights: readonly number[] = wordWeights): Query {
  return either(
    weights.flatMap((weight) => wordCondition(word).ranges.map((one) => rangeQuery(one, wordField(weight)))),
  );
}

/** The documents that have exactly one of these words. */
export function sameWords(words: string[]): Query {
  return either(wordWeights.map((weight) => ({ terms: { [wordField(weight)]: words } })));
}

function anyOf(ranges: TermRange[]): Query {
  const single = ranges.filter((range) => isSingle(range) && !range.isAbsent).map(({ low }) => low);
  const others = ranges.filter((range) => !isSingle(range) || range.isAbsent);
  const terms = single.length ? [{ terms: { terms: single } }] : [];
  return either([...terms, ...others.map((range) => conditionQuery(range))]);
}

function conditionQuery(range: TermRange): Query {
  const query = rangeQuery(range, 'terms');
  return range.isAbsent ? { bool: { must_not: [query] } } : query;
}

function rangeQuery({ low, high }: TermRange, field: string): Query {
  return isSingle({ low, high }) ? { term: { [field]: low } } : { range: { [field]: { gte: low, lt: high } } };
}

function isSingle({ low, high }: Pick<TermRange, 'low' | 'high'>): boolean {
  return high === justAfter(low);
}

/** The documents that meet one of these conditions. */
export function either(queries: Query[]): Query {
  return { bool: { should: queries, minimum_should_match: 1 } };
}

/** The documents with these keys. */
export function keysQuery(keys: number[]): Query {
  return { terms: { key: keys } };
}
