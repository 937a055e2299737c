import type { Tx } from '../../database.ts';
import type { Match, Matches, Rarity, Search, Wanting } from '../driver.ts';
import { searchWindow } from '../driver.ts';
import { idfOf, scoreOf } from '../ranking.ts';
import type { OpenSearch } from './client.ts';
import { findable } from './findable.ts';
import { allowedQuery, keysQuery, matchQuery, type Scope, scopeQuery, wholePoints, wordFilter } from './query.ts';

/** A server, and whose documents are searched on it. */
export interface Within {
  server: OpenSearch;
  scope: Scope;
}

const nothing: Matches = { hits: [], total: 0, isEstimate: false };

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
  const { hits, total } = await readPage({ server, scope }, tx, search, {
    factors,
    offset,
    limit: Math.max(0, Math.min(wanting.limit, searchWindow - offset)),
    excluded,
    counted: searchWindow,
  });
  const isEstimate = total?.relation === 'gte';
  return { hits, total: Math.min(total?.value ?? 0, searchWindow), isEstimate };
}

/** The best documents for what was typed so far, without a count. */
export async function suggestDocuments(within: Within, tx: Tx, search: Search, limit: number): Promise<Match[]> {
  const factors = search.question.words.map(() => 1);
  return (await readPage(within, tx, search, { factors, offset: 0, limit, excluded: [], counted: false })).hits;
}

interface Page {
  factors: number[];
  offset: number;
  limit: number;
  excluded: number[];
  counted: number | false;
}

async function readPage({ server, scope }: Within, tx: Tx, search: Search, page: Page) {
  const { factors, offset, limit, excluded, counted } = page;
  const reply = await server.search(scope, {
    query: {
      bool: {
        filter: allowedQuery(scope, search),
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
  return { hits: found.filter(({ key }) => present.has(key)), total: reply.hits.total };
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
