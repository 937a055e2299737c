import type { Explanation } from '@tandem/search-contract';
import type { z } from 'zod';
import type { Search, SearchDriver } from '../../driver/driver.ts';
import { type Ranked, rounded } from './fuse.ts';
import type { Context } from './rank.ts';

type Explained = z.output<typeof Explanation>;

/** Why documents are where they are, by their keys. */
export async function explanationsOf(
  driver: SearchDriver,
  { tx, caller }: Pick<Context, 'tx' | 'caller'>,
  { hits, search, model }: { hits: Ranked[]; search: Search; model: string },
): Promise<Map<number, Explained>> {
  const keys = hits.map(({ key }) => key);
  // The number of documents with a word would tell a narrowed caller of documents that it does not see.
  const rarities = search.owners ? [] : await driver.rarities(tx, search, caller);
  const words = Map.groupBy(await driver.words(tx, search, keys), ({ key }) => key);
  return new Map(
    hits.map(({ key, isPinned, fused, keyword, semantic }) => [
      key,
      {
        pinned: isPinned,
        fusedScore: rounded(fused),
        keyword: keyword ?? null,
        semantic: semantic ? { ...semantic, model } : null,
        terms: (words.get(key) ?? []).map(({ word, term, weight, strength }) => ({
          word: search.question.words[word]?.low ?? '',
          term,
          weight,
          strength: rounded(strength),
          idf: search.owners ? null : rounded(rarities[word]?.idf ?? 0),
          documents: search.owners ? null : (rarities[word]?.documents ?? 0),
        })),
      },
    ]),
  );
}
