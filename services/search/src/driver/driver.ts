import type { Environment } from '@tandem/caller';
import type { Schedule } from '@tandem/jobs';
import type { Totals } from '@tandem/service';
import type { Tx } from '../database.ts';
import type { DocumentType, SearchedType, Writing } from './document.ts';
import type { Filter } from './filter.ts';
import type { Question } from './question.ts';

/** How many matches can be paged through and counted. */
export const searchWindow = 10_000;
/** Matches are ranked in blocks of so many; the first block is what both arms of a hybrid search contribute. */
export const rankDepth = 200;

/** A text to search for in an index. */
export interface Asked {
  index: string;
  q: string;
  typo: 'auto' | 'off';
  /** Treats the digits of what looks like a phone number as words like others. */
  isNoPhone?: boolean;
  /** Whether the last word is being typed, so that a typing error is also forgiven in what is there of it. */
  isUnfinished?: boolean;
}

/** A search, as the driver reads it. */
export interface Search {
  type: SearchedType;
  /** The index of the type that is searched, as `index` returned it: the same for all parts of one search. */
  index: string;
  question: Question;
  filter?: Filter | undefined;
  /** Public ids of users and teams to whose documents the caller is limited; absent for callers who may read all. */
  owners?: string[] | undefined;
}

/** Which matches a caller wants, and what they are counted and completed with. */
export interface Wanting {
  offset: number;
  limit: number;
  /** Whether the keys of all matches are wanted, if they are counted anyway. */
  wantsKeys?: boolean;
  /** Keys of documents that are left out, but counted. */
  excluded?: number[];
  caller: { tenantId?: number; environment: Environment };
  totals: Totals;
  schedule: Schedule;
}

/** A document that has all words. */
export interface Match {
  key: number;
  /** From 0 to 1, by its words; 1 if the question as a whole is its address, phone number or name. */
  score: number;
  isWhole: boolean;
}

/** A part of the matches of a search. */
export interface Matches {
  hits: Match[];
  total: number;
  /** Whether there may be more documents than `total`. */
  isEstimate: boolean;
  /** Whether more matches may follow the hits, of which those that the caller may no longer find are left out. */
  hasMore: boolean;
  /** The keys of all matches, if they were wanted and all of them were read. */
  keys?: number[];
}

/** Which of the best documents are suggested. */
export interface Suggesting extends Pick<Wanting, 'offset' | 'limit'> {
  /** Documents that have no word in a field of this weight may be left out. */
  weight?: number | undefined;
}

/** How a document has the words of a question. */
export interface WordMatch {
  key: number;
  /** Position of the word in the question. */
  word: number;
  /** The term of the document. */
  term: string;
  /** The weight of the best field with the term. */
  weight: number;
  /** What the match counts, from 0 to 1: by its weight, and whether the term is the word, begins with it or is similar. */
  strength: number;
}

/** How rare each word of a question is: the number of documents up to a bound, and the factor that follows from it. */
export interface Rarity {
  documents: number;
  idf: number;
}

export type SortField = 'createdAt' | 'score' | 'value' | 'name';

export interface Sort {
  field: SortField;
  isDescending: boolean;
}

/** A page of documents in the order of a field. */
export interface Sorted {
  keys: number[];
  /** Whether the pages end here although more documents may match. */
  isCut: boolean;
}

export interface WriteOptions {
  sameVersion?: boolean;
  intoNew?: boolean;
}

/** Values of a field among the matches, the most frequent first. */
export type FacetCounts = Record<string, { value: string; count: number }[]>;

/** A document with how similar its vector is to that of a question. */
export interface Similar {
  key: number;
  similarity: number;
}

/**
 * An index of the documents, whose rows are in the database of the service whatever the driver; `key` is that of the row.
 * All functions act in the tenant and environment of `tx`.
 */
export interface SearchDriver {
  /**
   * Writes or removes documents, any number at once; none may be in it twice.
   * @param options.sameVersion whether a record also replaces its document of the same version, as a rebuild does
   * @param options.intoNew whether they are written only into the index that is being built
   * @returns whether documents wait until they are compared with possible duplicates
   */
  write(tx: Tx, writings: Writing[], options?: WriteOptions): Promise<boolean>;
  /** The index in which documents of a type are searched at the moment. */
  index(tx: Tx, type: DocumentType): Promise<string>;
  /** Reads a text, with the words of the index that it may be a misspelling of. */
  read(tx: Tx, asked: Asked): Promise<Question>;
  /** The documents that have every word and pass the filter, best first. Each is at one offset, whatever the limit. */
  match(tx: Tx, search: Search, wanting: Wanting): Promise<Matches>;
  /** The documents that the question as a whole equals and that pass the filter, newest first, at most `rankDepth`. */
  wholes(tx: Tx, search: Search): Promise<Match[]>;
  /** Those of the documents that have every word. */
  matching(tx: Tx, search: Search, keys: number[]): Promise<Set<number>>;
  /** How rare the words are. */
  rarities(tx: Tx, search: Search, caller: Wanting['caller']): Promise<Rarity[]>;
  /** How these documents have the words. */
  words(tx: Tx, search: Search, keys: number[]): Promise<WordMatch[]>;
  /** The documents that pass the filter with the most similar vectors, at most `rankDepth`, best first. */
  similar(tx: Tx, search: Search, vector: QueryVector): Promise<Similar[]>;
  /** Matches in the order of a field, together with `others`; documents without the field come last. */
  sorted(tx: Tx, search: Search, sort: Sort, part: Pick<Wanting, 'offset' | 'limit'> & Others): Promise<Sorted>;
  /** Counts values among the matches and `others`, up to `searchWindow` documents. */
  facets(
    tx: Tx,
    search: Search,
    fields: string[],
    others: Others,
  ): Promise<{ counts: FacetCounts; isComplete: boolean }>;
  /** Keys of documents that have one of these terms, and that the caller may find. */
  withTerms(tx: Tx, wanted: WantedTerms): Promise<number[]>;
  /** The best documents for what was typed so far, without a count. */
  suggest(tx: Tx, search: Search, suggesting: Suggesting): Promise<Match[]>;
}

/** Terms whose documents are looked up. */
export interface WantedTerms {
  index: string;
  /** Of each of these the newest few are found. */
  terms: string[];
  /** Hundreds of terms, most of which no document has: of all together a few documents are found. */
  rare: string[];
  owners?: string[] | undefined;
  /** How many documents are a few. */
  max: number;
}

/** Documents that pass the filter and count as matches without having every word. */
export interface Others {
  others: number[];
}

/** The vector of a question, by the model with which documents are compared. */
export interface QueryVector {
  model: string;
  values: Int8Array;
}
