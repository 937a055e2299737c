import { inTurns } from '@tandem/process';
import type { SearchHit } from '@tandem/search-contract';
import { failField, type PageResult } from '@tandem/service';
import type { z } from 'zod';
import { type Search, type Sort, type SortField, searchWindow } from '../../driver/driver.ts';
import type { Tools } from '../../handler.ts';
import { explanationsOf } from './explain.ts';
import type { Ranked } from './fuse.ts';
import { matchesIn } from './highlight.ts';
import { type Context, type Mode, type Ranking, type RankOptions, rank } from './rank.ts';
import { readStored, type Stored } from './stored.ts';

/** The options that searches of every type have. */
export interface SearchQuery {
  q: string;
  typo: 'auto' | 'off';
  page: number;
  limit: number;
  mode: Mode;
  semanticRatio: number;
  sort: string;
  facets?: string[] | undefined;
  explain: boolean;
}

export type Hit = z.output<typeof SearchHit>;

/**
 * One page of the documents that match. There is no cursor: documents are ordered by how well they match at the moment.
 * @throws ApiError 422 for a page beyond the matches that are ranked
 */
export async function searchPage(
  tools: Tools,
  context: Context,
  query: SearchQuery,
  within: Pick<RankOptions, 'type' | 'filter' | 'owners' | 'vector'>,
): Promise<PageResult<Hit>> {
  const { page, limit, q, typo, mode, semanticRatio, facets = [] } = query;
  const offset = offsetOf({ page, limit }, searchWindow);
  const options = { q, typo, mode, semanticRatio, facets, offset, limit, sort: sortOf(query.sort), ...within };
  const found = await rank(tools, context, options);
  const hits = await asHits(tools, context, { ...found, isExplained: query.explain });
  return {
    items: [...hits.values()],
    total: found.total,
    isTotalEstimate: found.isEstimate,
    page,
    limit,
    hasPrev: page > 1,
    hasNext: offset + limit < found.total,
    nextCursor: null,
    ...(found.facets && { facets: found.facets.counts, areFacetsEstimates: !found.facets.isComplete }),
  };
}

/** @throws ApiError 422 for a page beyond the matches that are ranked */
export function offsetOf({ page, limit }: { page: number; limit: number }, window: number): number {
  const offset = (page - 1) * limit;
  if (offset < window) return offset;
  throw failField('page', `Results are limited to the first ${window} documents; narrow the search with filters`);
}

function sortOf(sort: string): Sort | undefined {
  if (sort === 'relevance') return undefined;
  const isDescending = sort.startsWith('-');
  return { field: (isDescending ? sort.slice(1) : sort) as SortField, isDescending };
}

/** Ranked documents as the API shows them, in their order, by their keys. One that was removed meanwhile is left out. */
export async function asHits(
  { searchedBy }: Tools,
  { tx, caller }: Pick<Context, 'tx' | 'caller'>,
  { hits, search, model, isExplained }: Pick<Ranking, 'hits' | 'search' | 'model'> & { isExplained: boolean },
): Promise<Map<number, Hit>> {
  const stored = await readStored(
    tx,
    hits.map(({ key }) => key),
  );
  const explanations = isExplained
    ? await explanationsOf(await searchedBy(tx), { tx, caller }, { hits, search, model })
    : undefined;
  const present = hits.flatMap((hit) => {
    const document = stored.get(hit.key);
    return document ? [{ hit, document }] : [];
  });
  const shown = await inTurns(present, ({ hit, document }): [number, Hit] => [
    hit.key,
    { ...asHit(hit, document, search), ...(explanations && { explain: explanations.get(hit.key) }) },
  ]);
  return new Map(shown);
}

function asHit({ score }: Ranked, { documentId, document: json }: Stored, { type, question }: Search): Hit {
  const document = JSON.parse(json);
  const matches = matchesIn(document, question);
  return {
    type,
    id: documentId,
    score,
    document,
    highlights: Object.fromEntries(matches.map(({ path, html }) => [path, html])),
    matchedOn: matches.map(({ path }) => path),
  };
}
