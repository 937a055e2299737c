import { documentTypes, type searches } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { questionVectorFor } from '../embeddings/question-vectors.ts';
import { mayRead, ownersFor } from './owners.ts';
import { rank } from './rank.ts';
import { asHits, offsetOf } from './search-page.ts';
import { typoFor } from './typo.ts';

// Every page reads the results of each type from the first one.
const window = 1_000;

export const searchAll =
  (tools: Tools): Handler<typeof searches.searchAll> =>
  async ({ query, caller, tx, schedule, missing }) => {
    const { page, limit, q, mode, semanticRatio } = query;
    const offset = offsetOf(query, window);
    if (query.types?.some((type) => !mayRead(type, caller))) throw fail('forbidden');
    const types = documentTypes.filter((type) => mayRead(type, caller) && (query.types?.includes(type) ?? true));
    const typo = await typoFor(tools, caller, query.typo);
    const vector = await questionVectorFor(tools, { tx, caller, schedule, missing }, query);
    const end = Math.min(offset + limit, window);
    const context = { tx, caller, schedule };
    const found = [];
    for (const type of types) {
      const options = {
        type,
        q,
        typo,
        mode,
        semanticRatio,
        vector,
        facets: [],
        owners: ownersFor(type, caller, tools),
      };
      found.push({ type, ...(await rank(tools, context, { ...options, offset: 0, limit: end })) });
    }
    // By the rank within the type: scores of different types cannot be compared, because words have different frequencies.
    const merged = found
      .flatMap(({ hits, search, model }, order) => hits.map((hit, place) => ({ hit, search, model, order, place })))
      .sort(
        (one, other) =>
          Number(other.hit.isPinned) - Number(one.hit.isPinned) || one.place - other.place || one.order - other.order,
      )
      .slice(offset, end);
    const items = [];
    for (const { hit, search, model } of merged)
      items.push(...(await asHits(tools, context, { hits: [hit], search, model, isExplained: query.explain })));
    const total = found.reduce((sum, one) => sum + one.total, 0);
    return {
      items,
      total,
      page,
      limit,
      isTotalEstimate: found.some(({ isEstimate }) => isEstimate),
      hasPrev: page > 1,
      hasNext: end < Math.min(total, window),
      nextCursor: null,
      facets: { type: found.map(({ type, total: count }) => ({ value: type, count })) },
    };
  };
