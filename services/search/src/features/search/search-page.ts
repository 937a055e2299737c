import type { Schedule } from '@tandem/jobs';
import { inTurns } from '@tandem/process';
import type { SearchHit } from '@tandem/search-contract';
import { failField, type PageResult } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import { scheduleReindex } from '../documents/reindex-documents.job.ts';
import { searchWindow } from './count-documents.ts';
import type { Filter } from './filter.ts';
import { type Counting, findFor, type Hit } from './find.ts';
import { matchesIn } from './highlight.ts';
import type { Question } from './question.ts';

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
  { tx, schedule, query, caller, totals }: { tx: Tx; schedule: Schedule; query: SearchQuery } & Counting,
  { type, filter }: { type: DocumentType; filter: Filter },
): Promise<PageResult<z.output<typeof SearchHit>>> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  if (offset >= searchWindow)
    throw failField(
      'page',
      `Results are limited to the first ${searchWindow} documents; narrow the search with filters`,
    );
  const options = { type, filter, limit, offset, counting: { caller, totals } };
  const { question, hits, total, isEstimate, hasOutdated } = await findFor(tx, query, options);
  if (hasOutdated) await scheduleReindex(tx, schedule);
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
