/** How many words of a question are searched for. */
export const wordsMax = 10;

/** A word of a question. The terms from `low` up to `high` are those that begin with it. */
export interface Wanted {
  low: string;
  high: string;
  /** Words of the index that differ from it by one typing error. */
  alike: string[];
  /** Beginnings of words of the index that differ from it by one typing error; empty unless the word is unfinished. */
  alikeBeginnings: string[];
}

/** A question, as the index is asked. */
export interface Question {
  words: Wanted[];
  /** Whether the only word is the digits of what looks like a phone number. */
  isPhone: boolean;
  /** Whether words with typing errors are not wanted. */
  isExact: boolean;
  /** Terms for the question as a whole: an e-mail address, a phone number or a full name. */
  wholes: string[];
}
