import type { Environment } from '@tandem/caller';
import type { Totals } from '@tandem/service';
import type { Tx } from '../../database.ts';
import type { TermRange } from '../conditions.ts';
import { searchWindow } from '../driver.ts';
import { type Count, countStatement } from './statements.ts';

// A document may have several terms of one condition: so many postings are read for each wanted document.
export const severalTerms = 1.05;
// Postings that are read at most.
const readMost = 100_000;

/** The documents of a tenant that have a term in one of the ranges. */
export interface Counted {
  caller: { tenantId?: number; environment: Environment };
  index: string;
  ranges: readonly TermRange[];
}

/**
 * Counts documents up to `searchWindow`. Concurrent requests share a count; that there are more is remembered for a
 * minute, because the count of a common word costs more than its page.
 * @returns undefined when there are more, or when they have too many postings to count
 */
export async function countDocuments(tx: Tx, totals: Totals, counted: Counted): Promise<number | undefined> {
  const { caller, index, ranges } = counted;
  const id = JSON.stringify([caller.tenantId, caller.environment, index, ranges]);
  if (totals.estimated.isLarge(id)) return undefined;
  const count = () => countPostings(tx, counted);
  const { total } = (await totals.shared.join(id, count)) ?? (await totals.shared.reading(id, count()));
  if (total === undefined) totals.estimated.noteLarge(id);
  return total;
}

async function countPostings(tx: Tx, { index, ranges }: Counted): Promise<{ total: number | undefined }> {
  for (let readMax = Math.ceil((searchWindow + 1) * severalTerms); ; readMax = Math.min(readMax * 4, readMost)) {
    const [row] = await countStatement<Promise<Count[]>>(tx.sql, { index, ranges, readMax });
    const { read, documents } = row as Count;
    if (documents > searchWindow) return { total: undefined };
    if (read < readMax) return { total: documents };
    if (readMax >= readMost) return { total: undefined };
  }
}
