import { documentTypes, type searches } from '@tandem/search-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { questionVectorFor } from '../embeddings/question-vectors.ts';
import type { Ranked } from './fuse.ts';
import { noteOmitted } from './omitted.ts';
import { mayRead, ownersFor } from './owners.ts';
import { type Ranking, rank } from './rank.ts';
import { asHits, type Hit, offsetOf } from './search-page.ts';
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
    noteOmitted(query.q, { missing });
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
    const merged = merge(found).slice(offset, end);
    const shown = new Map<number, Hit>();
    // Once a type: what explains its hits is read for all of them together.
    for (const [search, some] of Map.groupBy(merged, (one) => one.search)) {
      const [{ model }] = some as [Merged, ...Merged[]];
      const hits = some.map(({ hit }) => hit);
      const read = await asHits(tools, context, { hits, search, model, isExplained: query.explain });
      for (const [key, hit] of read) shown.set(key, hit);
    }
    const items = merged.flatMap(({ hit: { key } }) => shown.get(key) ?? []);
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

interface Merged extends Pick<Ranking, 'search' | 'model'> {
  hit: Ranked;
  /** Position of the type, and place within it. */
  order: number;
  place: number;
  standing: number;
}

/**
 * The documents of all types, those of one type in their order. They are compared by what their ranks in both arms count: scores
 * by words of different types cannot be compared, because words have different frequencies.
 */
function merge(found: Ranking[]): Merged[] {
  return found
    .flatMap(({ hits, search, model }, order) => {
      // Documents that follow those of both arms may count more than the last of these.
      let least = Number.POSITIVE_INFINITY;
      return hits.map((hit, place) => {
        if (!hit.isPinned) least = Math.min(least, hit.fused);
        return { hit, search, model, order, place, standing: least };
      });
    })
    .sort(
      (one, other) =>
        Number(other.hit.isPinned) - Number(one.hit.isPinned) ||
        (one.hit.isPinned ? 0 : other.standing - one.standing) ||
        one.place - other.place ||
        one.order - other.order,
    );
}
