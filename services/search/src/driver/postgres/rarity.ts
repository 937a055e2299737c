import type { Tx } from '../../database.ts';
import type { Wanting } from '../driver.ts';

// As many as the postings of a word are counted.
const countMax = 100_000;
const rememberedMs = 300_000;
const rememberedMax = 5_000;
const counts = new Map<string, { count: number; until: number }>();

/** How many documents an index has, up to a bound; of a caller's tenant remembered for minutes. */
export async function documentCount(tx: Tx, caller: Wanting['caller'], index: string): Promise<number> {
  const id = `${caller.tenantId} ${caller.environment} ${index}`;
  const known = counts.get(id);
  if (known && known.until > Date.now()) return known.count;
  const [row] = await tx.sql<{ count: number }>`SELECT count(*)::int AS count FROM (
    SELECT FROM document WHERE type = ${index} AND document_id >= '' ORDER BY document_id LIMIT ${countMax}::int) AS bounded`;
  const count = row?.count ?? 0;
  counts.delete(id);
  // Few documents become many quickly, as at an import.
  counts.set(id, { count, until: Date.now() + (count < countMax / 10 ? 1_000 : rememberedMs) });
  const [oldest] = counts.keys();
  if (counts.size > rememberedMax && oldest !== undefined) counts.delete(oldest);
  return count;
}
