import { EstimatedTotals } from './estimated-totals.ts';
import { SharedCounts } from './shared-counts.ts';

/** The totals that requests to one process share. */
export interface Totals {
  /** Of lists with more records than are counted exactly. */
  estimated: EstimatedTotals;
  /** Exact counts in progress. */
  shared: SharedCounts;
}

/** Creates the totals of one process. */
export function createTotals(): Totals {
  return { estimated: new EstimatedTotals(), shared: new SharedCounts() };
}
