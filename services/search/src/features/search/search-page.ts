import { inTurns } from '@tandem/process';
import type { SearchHit } from '@tandem/search-contract';
import type { PageResult } from '@tandem/service';
import type { z } from 'zod';
import type { Tx } from '../../handler.ts';
import type { DocumentType } from '../documents/document.ts';
import type { Filter } from './filter.ts';
import { findFor, type Hit } from './find.ts';
import { matchesIn } from './highlight.ts';
import type { Question } from './question.ts';

interface SearchQuery {
  q: string;
  typo: 'auto' | 'off';
  page: number;
  limit: number;
}

/** One page of what is found. There is no cursor: the order is that of the moment, by how well documents match. */
export async function searchPage(
  tx: Tx,
  query: SearchQuery,
  { type, filter }: { type: DocumentType; filter: Filter },
): Promise<PageResult<z.output<typeof SearchHit>>> {
  const { page, limit } = query;
  const offset = (page - 1) * limit;
  const options = { type, filter, limit, offset, isCounted: true };
  const { question, hits, total } = await findFor(tx, query, options);
  const items = await inTurns(hits, (hit) => asHit(hit, question));
  return { items, total, page, limit, hasPrev: page > 1, hasNext: offset + limit < total, nextCursor: null };
}

function asHit({ type, documentId, score, document: json }: Hit, question: Question): z.output<typeof SearchHit> {
  const document = JSON.parse(json);
  const matches = matchesIn(document, question);
  return {
    ...{ type, id: documentId, score, document },
    highlights: Object.fromEntries(matches.map(({ path, html }) => [path, html])),
    matchedOn: matches.map(({ path }) => path),
  };
}
