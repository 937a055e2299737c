import type { Caller } from '@tandem/caller';
import type { QueryVector } from '../driver/driver.ts';
import type { Question } from '../driver/question.ts';
import { localModel, localVector } from './local.ts';

/** Makes the vectors of questions, by the model with which the documents of the caller's tenant are compared. */
export interface Embedder {
  embedQuestion(caller: Caller, question: Question, q: string): Promise<QueryVector>;
}

/** The embedder that needs no provider. */
export const localEmbedder: Embedder = {
  async embedQuestion(_caller, { words }) {
    return { model: localModel, values: localVector(words.map(({ low }) => [low, 1] as const)) };
  },
};
