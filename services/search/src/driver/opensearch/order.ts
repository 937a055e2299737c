import type { Tx } from '../../database.ts';
import type { FacetCounts, Others, Search, Sort, Sorted, Wanting } from '../driver.ts';
import { searchWindow } from '../driver.ts';
import type { Within } from './find.ts';
import { findable } from './findable.ts';
import { allowedQuery, keysQuery, matchQuery, type Query } from './query.ts';

const facetValuesMax = 100;

/** Keys of the matches and of others in the order of a field; documents without the field come last. */
export async function sortedDocuments(
  { server, scope }: Within,
  tx: Tx,
  search: Search,
  { field, isDescending }: Sort,
  { offset, limit, others }: Pick<Wanting, 'offset' | 'limit'> & Others,
): Promise<Sorted> {
  const reply = await server.search(scope, {
    query: listed(allowedQuery(scope, search), search, others),
    // Documents with the same value have the order that PostgreSQL gives them.
    sort: [
      { [field]: { order: isDescending ? 'desc' : 'asc', missing: '_last' } },
      { key: { order: isDescending ? 'asc' : 'desc' } },
    ],
    from: offset,
    size: Math.max(0, Math.min(limit, searchWindow - offset)),
    track_total_hits: false,
  });
  const keys = reply.hits.hits.map(({ _id }) => Number(_id));
  const present = await findable(tx, search, keys);
  return { keys: keys.filter((key) => present.has(key)), isCut: false };
}

/** Counts values among all matches and others. */
export async function countFacets({ server, scope }: Within, search: Search, fields: string[], { others }: Others) {
  const reply = await server.search(scope, {
    query: listed(allowedQuery(scope, search), search, others),
    size: 0,
    track_total_hits: false,
    aggs: Object.fromEntries(
      fields.map((field) => [
        field,
        { terms: { field, size: facetValuesMax, order: [{ _count: 'desc' }, { _key: 'asc' }] } },
      ]),
    ),
  });
  const counts: FacetCounts = {};
  for (const field of fields) {
    const buckets = (reply.aggregations?.[field]?.buckets ?? []) as { key: string; doc_count: number }[];
    counts[field] = buckets.map(({ key, doc_count: count }) => ({ value: key, count }));
  }
  return { counts, isComplete: true };
}

function listed(filter: Query[], search: Search, others: number[]): Query {
  const matched = matchQuery(
    search,
    search.question.words.map(() => 1),
  );
  return { bool: { filter: [...filter, { bool: { should: [matched, keysQuery(others)], minimum_should_match: 1 } }] } };
}
