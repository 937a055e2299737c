import type { QueryVector } from '../driver/driver.ts';
import type { Question } from '../driver/question.ts';
import { gramsOf, hashOf } from './grams.ts';
import { quantized } from './vector.ts';

/** The model of this file. Its name changes whenever its vectors do. */
export const localModel = 'local-1';
/** The dimensions of its vectors. */
export const localDimensions = 256;
// The part of a word's length that is the word itself. The rest is shared by its sequences, so that a word with a typing
// error is still close to it.
const wholeShare = 0.5;
const wordsMax = 200;

/**
 * A vector for words with weights, computed without a provider: each word and each of its three-letter sequences is hashed to
 * a dimension and a sign (feature hashing, Weinberger et al. 2009). Equal words give equal vectors, similar words similar ones.
 */
export function localVector(words: Iterable<readonly [word: string, weight: number]>): Int8Array {
  const values = new Float64Array(localDimensions);
  let left = wordsMax;
  for (const [word, weight] of words) {
    if (left-- <= 0) break;
    // Names count twice as much as other words: with their full weight, the rest of a document would hardly count.
    const share = Math.sqrt(weight);
    add(values, `=${word}`, share * wholeShare);
    const grams = gramsOf(word);
    for (const gram of grams) add(values, gram, (share * Math.sqrt(1 - wholeShare ** 2)) / Math.sqrt(grams.length));
  }
  return quantized(values);
}

/** The vector of a question: of its words, which count the same. */
export function localQuestionVector({ words }: Question): QueryVector {
  return { model: localModel, values: localVector(words.map(({ low }) => [low, 1] as const)) };
}

function add(values: Float64Array, feature: string, weight: number): void {
  const hash = hashOf(feature);
  const dimension = hash % localDimensions;
  values[dimension] = (values[dimension] ?? 0) + (hash & 0x8000_0000 ? weight : -weight);
}
