import type { Args } from './conditions.ts';

/** One page of a list, as `findPage` takes it. */
export interface PageArgs {
  where: Args;
  sort: string;
  isDescending: boolean;
  /**
   * Of the rows after a cursor: ranges of the order, one behind the other, which together hold them all. Each bounds a scan of its
   * own, as one condition with OR would not.
   */
  after?: Args[];
  skip: number;
  take: number;
  select?: Args;
  /** Text to find anywhere in one of these columns, in any case. */
  search?: { text: string; columns: readonly string[] };
  /** Whether the list is known to have more than `exactMax` records, so that they need not be counted again. */
  isKnownLarge?: boolean;
}
