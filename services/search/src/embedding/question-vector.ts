import type { Caller } from '@tandem/caller';
import type { Tx } from '../database.ts';
import type { QueryVector } from '../driver/driver.ts';

/** The vector of a question by the provider's model, or why there is none; empty where local vectors are compared anyway. */
export interface QuestionVector {
  vector?: QueryVector;
  missing?: string;
  /** Whether the documents of the tenant have not been embedded by the model, and nothing is about to do it. */
  isToStart?: boolean;
}

/** The options of a search that decide whether its question is embedded. */
export interface Asked {
  q: string;
  mode: 'keyword' | 'semantic' | 'hybrid';
  semanticRatio: number;
}

/** The tenant whose provider and budget are used. */
export interface Within {
  tx: Tx;
  caller: Caller;
}

export interface QuestionVectors {
  /** Embeds a question if the documents of the tenant are. Call it outside of a transaction. */
  ask(within: Within, asked: Asked): Promise<QuestionVector>;
}
