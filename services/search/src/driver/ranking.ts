// How the drivers rank documents, so that both give them the same scores.
import { cosine } from '../embedding/vector.ts';
import { pointsMax } from './conditions.ts';
import { rankDepth, type Similar } from './driver.ts';

const similarityMin = 0.35;

/**
 * What a match of a word counts: the inverse document frequency of BM25 (Robertson and Zaragoza, The Probabilistic Relevance
 * Framework, 2009), in the form that Lucene uses, which is never negative. Both numbers are counted up to one bound, so of two
 * words that more documents have than are counted, neither counts more.
 */
export function idfOf(documentsWithWord: number, documents: number): number {
  const without = Math.max(0, documents - documentsWithWord);
  return Math.log(1 + (without + 0.5) / (documentsWithWord + 0.5));
}

/**
 * The score of a document by the points of its words, below 1, which is that of a document that the question equals.
 * @param factors what a match of each word counts
 */
export function scoreOf(points: number, factors: number[]): number {
  const most = pointsMax * factors.reduce((sum, factor) => sum + factor, 0);
  return Math.round(Math.min(points / most, 0.99) * 1_000) / 1_000;
}

/** The documents whose vectors are similar to that of a question, at most `rankDepth`, best first. */
export function mostSimilar(question: Int8Array, vectors: Map<number, Int8Array>): Similar[] {
  return [...vectors]
    .map(([key, vector]) => ({ key, similarity: cosine(question, vector) }))
    .filter(({ similarity }) => similarity >= similarityMin)
    .sort((one, other) => other.similarity - one.similarity || other.key - one.key)
    .slice(0, rankDepth);
}
