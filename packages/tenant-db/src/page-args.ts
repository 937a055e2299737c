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
}
