import { inTurns } from '@tandem/process';
import type { SearchHit } from '@tandem/search-contract';
import { failField, type PageResult } from '@tandem/service';
import type { z } from 'zod';
import type { DocumentType } from '../../driver/document.ts';
import { type Hit, searchWindow, type Wanting } from '../../driver/driver.ts';
import type { Filter } from '../../driver/filter.ts';
import type { Question } from '../../driver/question.ts';
import type { Tools, Tx } from '../../handler.ts';
import { matchesIn } from './highlight.ts';

interface SearchQuery {
  q: string;
  typo: 'auto' | 'off';
  page: number;
  limit: number;
}

/**
 * One page of the documents that match. There is no cursor: documents are ordered by how well they match at the moment.
 * @throws ApiError 422 for a page beyond the matches that are ranked
 */
export async function searchPage(
  { driver, totals }: Tools,
  { tx, query, schedule, caller }: { tx: Tx; query: SearchQuery } & Pick<Wanting, 'schedule' | 'caller'>,
  { type, filter }: { type: DocumentType; filter: Filter },
): Promise<PageResult<z.output<typeof SearchHit>>> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  if (offset >= searchWindow)
    throw failField(
      'page',
      `Results are limited to the first ${searchWindow} documents; narrow the search with filters`,
    );
  const search = { type, q: query.q, typo: query.typo, filter };
  const wanting = { offset, limit, caller, totals, schedule };
  const { question, hits, total, isEstimate } = await driver.find(tx, search, wanting);
  const items = await inTurns(hits, (hit) => asSearchHit(hit, question));
  return {
    items,
    total,
    isTotalEstimate: isEstimate,
    page,
    limit,
    hasPrev: page > 1,
    hasNext: offset + limit < total,
    nextCursor: null,
  };
}

function asSearchHit({ type, documentId, score, document: json }: Hit, question: Question): z.output<typeof SearchHit> {
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
