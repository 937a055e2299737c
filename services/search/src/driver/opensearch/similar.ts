import type { Tx } from '../../database.ts';
import { type QueryVector, rankDepth, type Search, type Similar } from '../driver.ts';
import { readVectors } from '../postgres/vectors.ts';
import { mostSimilar } from '../ranking.ts';
import type { Within } from './find.ts';
import { findable } from './findable.ts';
import { allowedQuery, sameWords } from './query.ts';

/**
 * The documents that pass the filter with the most similar vectors. The server finds the nearest ones; how similar they are is
 * computed from the vectors in PostgreSQL, as that driver does.
 */
export async function similarDocuments(
  { server, scope }: Within,
  tx: Tx,
  search: Search,
  { model, values }: QueryVector,
): Promise<Similar[]> {
  const { words, isExact } = search.question;
  // A vector without a direction is similar to none.
  if (!words.length || values.every((value) => value === 0)) return [];
  const filter = [...allowedQuery(scope, search), ...(isExact ? [sameWords(words.map(({ low }) => low))] : [])];
  const reply = await server.search(scope, {
    query: { knn: { vector: { vector: [...values], k: rankDepth, filter: { bool: { filter } } } } },
    size: rankDepth,
    track_total_hits: false,
  });
  const keys = reply.hits.hits.map(({ _id }) => Number(_id));
  const present = await findable(tx, search, keys);
  return mostSimilar(values, await readVectors(tx, model, [...present]));
}
