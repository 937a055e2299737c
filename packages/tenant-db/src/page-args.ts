import type { Args } from './conditions.ts';

/** One page of a list, as `findPage` takes it. */
export interface PageArgs {
  where: Args;
  sort: string;
  isDescending: boolean;
  /**
   * For the rows after a cursor: consecutive ranges of the order, which together contain all of these rows. Each bounds
   * its own scan; a single condition with OR would not.
   */
  after?: Args[];
  skip: number;
  take: number;
  select?: Args;
  /** Text to match in one of these columns, case-insensitively and anywhere. */
  search?: { text: string; columns: readonly string[] };
  /** Whether the list is known to have more than `exactMax` records, so that they need not be counted again. */
  isKnownLarge?: boolean;
  /**
   * Reads the page only; the caller gets the total from `countPage`. A short page with `isLarge` may be incomplete, and
   * has to be read again with its total.
   */
  isUncounted?: boolean;
}

/** Which ids `findIds` reads: the first `take` of the records that match. */
export type IdsArgs = Pick<PageArgs, 'where' | 'search' | 'take'>;

/** Totals are exact up to this number (D20), and a page reads this many rows along an index before it tries another plan. */
export const exactMax = 10_000;

/** The rows of a page. */
export interface FoundPage<Row = Args> {
  rows: Row[];
  /** The number of records of the list; undefined when counting would read more than `exactMax` rows. */
  total: number | undefined;
  /** Whether more than `exactMax` records match the indexed conditions alone. */
  isLarge: boolean;
  /** Where to continue if the page is short only because the read limit was reached. */
  resumeAt?: { value: unknown; id: number };
}
