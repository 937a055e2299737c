import type { Tx } from '../../database.ts';
import type { Match, Matches, Rarity, Search, Suggesting, Wanting } from '../driver.ts';
import { searchWindow } from '../driver.ts';
import { idfOf, scoreOf } from '../ranking.ts';
import type { OpenSearch } from './client.ts';
import { findable } from './findable.ts';
import {
  allowedQuery,
  either,
  keysQuery,
  matchQuery,
  type Scope,
  scopeQuery,
  wholePoints,
  wordFilter,
} from './query.ts';

/** A server, and whose documents are searched on it. */
export interface Within {
  server: OpenSearch;
  scope: Scope;
}

const nothing: Matches = { hits: [], total: 0, isEstimate: false, hasMore: false };

/** The documents that have every word and pass the filter, best first. */
export async function matchDocuments(
  { server, scope }: Within,
  tx: Tx,
  search: Search,
  wanting: Wanting,
): Promise<Matches> {
  const { words } = search.question;
  if (!words.length) return nothing;
  const factors = words.length > 1 ? (await raritiesOf({ server, scope }, search)).map(({ idf }) => idf) : [1];
  const { offset, excluded = [] } = wanting;
  const limit = Math.max(0, Math.min(wanting.limit, searchWindow - offset));
  const { hits, total, hasMore } = await readPage({ server, scope }, tx, search, {
    factors,
    offset,
    limit,
    excluded,
    counted: searchWindow,
  });
  const isEstimate = total?.relation === 'gte';
  return { hits, total: Math.min(total?.value ?? 0, searchWindow), isEstimate, hasMore };
}

/** The best documents for what was typed so far, without a count. */
export async function suggestDocuments(
  within: Within,
  tx: Tx,
  search: Search,
  { weight, ...page }: Suggesting,
): Promise<Match[]> {
  const factors = search.question.words.map(() => 1);
  const wanted: Page = { factors, ...page, excluded: [], counted: false, weight };
  return (await readPage(within, tx, search, wanted)).hits;
}

interface Page {
  factors: number[];
  offset: number;
  limit: number;
  excluded: number[];
  counted: number | false;
  /** Only documents that have one of the words in a field of this weight. */
  weight?: number | undefined;
}

async function readPage({ server, scope }: Within, tx: Tx, search: Search, page: Page) {
  const { factors, offset, limit, excluded, counted, weight } = page;
  const { words } = search.question;
  const weighed = weight === undefined ? [] : [either(words.map((word) => wordFilter(word, [weight])))];
  const reply = await server.search(scope, {
    query: {
      bool: {
        filter: [...allowedQuery(scope, search), ...weighed],
        must: [matchQuery(search, factors)],
        ...(excluded.length && { must_not: [keysQuery(excluded)] }),
      },
    },
    sort: [{ _score: { order: 'desc' } }, { key: { order: 'desc' } }],
    from: offset,
    size: limit,
    track_total_hits: counted,
  });
  const found = reply.hits.hits.map(({ _id, _score }) => {
    const points = _score ?? 0;
    const isWhole = points >= wholePoints;
    return { key: Number(_id), isWhole, score: isWhole ? 1 : scoreOf(points, factors) };
  });
  const present = await findable(
    tx,
    search,
    found.map(({ key }) => key),
  );
  const hits = found.filter(({ key }) => present.has(key));
  return { hits, total: reply.hits.total, hasMore: found.length === limit };
}

/** How many documents have each word, and how rare it is. */
export async function raritiesOf({ server, scope }: Within, { index, question }: Search): Promise<Rarity[]> {
  const { words } = question;
  if (!words.length) return [];
  const reply = await server.search(scope, {
    query: { bool: { filter: scopeQuery(scope, index) } },
    size: 0,
    track_total_hits: true,
    aggs: { words: { filters: { filters: words.map((word) => wordFilter(word)) } } },
  });
  const buckets = reply.aggregations?.['words']?.buckets as { doc_count: number }[];
  const documents = reply.hits.total?.value ?? 0;
  return buckets.map(({ doc_count: count }) => ({ documents: count, idf: idfOf(count, documents) }));
}
