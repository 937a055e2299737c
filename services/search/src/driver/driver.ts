import type { Environment } from '@tandem/caller';
import type { Schedule } from '@tandem/jobs';
import type { Totals } from '@tandem/service';
import type { Tx } from '../handler.ts';
import type { DocumentType, Writing } from './document.ts';
import type { Filter } from './filter.ts';
import type { Question } from './question.ts';

/** How many matches can be paged through and counted. */
export const searchWindow = 10_000;

/** A search in the documents of one type. The filter contains the owners to whose records the caller is limited. */
export interface Search {
  type: DocumentType;
  q: string;
  typo: 'auto' | 'off';
  filter: Filter;
}

/** Which matches a caller wants, and what their total is counted with. */
export interface Wanting {
  offset: number;
  limit: number;
  caller: { tenantId?: number; environment: Environment };
  totals: Totals;
  schedule: Schedule;
}

/** A document that was found. */
export interface Hit {
  type: DocumentType;
  documentId: string;
  /** As JSON: a page may have 6 MB of documents, which are parsed one by one. */
  document: string;
  score: number;
}

/** A part of the matches of a search. */
export interface Found {
  /** How the driver understood the text of the search. */
  question: Question;
  hits: Hit[];
  total: number;
  /** Whether there may be more documents than `total`. */
  isEstimate: boolean;
}

/**
 * A store of documents that can be searched. All functions act in the tenant and environment of `tx`. Changes become visible
 * with the commit of `tx` at the latest.
 */
export interface SearchDriver {
  /**
   * Writes or removes documents, any number at once; none may be in it twice.
   * @param options.sameVersion whether a record also replaces its document of the same version, as a rebuild does
   */
  write(tx: Tx, writings: Writing[], options?: { sameVersion?: boolean }): Promise<void>;
  /** The documents that contain every word, best first. Each is at one offset, whatever the limit. */
  find(tx: Tx, search: Search, wanting: Wanting): Promise<Found>;
  /** The best documents for what was typed so far, without a count. */
  suggest(tx: Tx, search: Search, limit: number): Promise<Pick<Found, 'question' | 'hits'>>;
}
